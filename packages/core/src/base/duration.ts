import { ErrandError } from '@errand/contract';
import { leadingNumber, type Reading } from './quantity.ts';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** A hundred years: beyond it, dates stop being dates. */
const longest = 36_500 * 86_400_000;

export const durationHint = 'Write a number and a unit (ms, s, m, h, d), for instance 90s, 20m or 1h30m.';

export function readDuration(text: string): Reading {
  let rest = text.trim();
  if (rest === '') return { problem: 'it is empty' };
  if (rest.startsWith('-')) return { problem: 'it is negative' };
  let total = 0;
  let smallest = -1;
  while (rest !== '') {
    const part = leadingNumber(rest);
    if (!part) return { problem: 'it does not consist of numbers and units' };
    const name = /^[a-zA-Z]*/.exec(part.rest)?.[0] ?? '';
    if (name === '') return { problem: 'a number has no unit' };
    const index = units.findIndex(([unit]) => unit === name);
    const unit = units[index];
    if (!unit) return { problem: 'a unit is unknown' };
    if (index <= smallest) return { problem: 'the units do not go from large to small' };
    smallest = index;
    total += part.number * unit[1];
    rest = part.rest.slice(name.length);
  }
  if (total > longest) return { problem: 'it is longer than 36500d' };
  return { value: Math.round(total) };
}

/** Milliseconds. A bare number is milliseconds and can come from code only; text needs a unit. */
export function parseDuration(value: string | number, what = 'the duration'): number {
  const reading = typeof value === 'number' ? fromNumber(value) : readDuration(value);
  if ('value' in reading) return reading.value;
  throw new ErrandError('usage/invalid', `cannot read ${what} ${JSON.stringify(value)}: ${reading.problem}`, {
    next: durationHint,
  });
}

/** The shortest text that `parseDuration` reads back to the same whole number of milliseconds. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms);
  let text = '';
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text || '0s';
}

function fromNumber(value: number): Reading {
  if (!Number.isFinite(value)) return { problem: 'it is not a finite number' };
  if (value < 0) return { problem: 'it is negative' };
  if (value > longest) return { problem: 'it is longer than 36500d' };
  return { value: Math.round(value) };
}
