import { ErrandError } from '@errand/contract';
import { leadingNumber, type Reading } from './quantity.ts';

const units: readonly (readonly [string, number])[] = [
  ['Ti', 1024 ** 4],
  ['Gi', 1024 ** 3],
  ['Mi', 1024 ** 2],
  ['Ki', 1024],
  ['T', 1000 ** 4],
  ['G', 1000 ** 3],
  ['M', 1000 ** 2],
  ['K', 1000],
  ['k', 1000],
  ['', 1],
];

export const sizeHint = 'Write bytes or a number and a unit (Ki, Mi, Gi, Ti or K, M, G, T), for instance 512Mi or 4Gi.';

export function readSize(text: string): Reading {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'it is empty' };
  if (trimmed.startsWith('-')) return { problem: 'it is negative' };
  const part = leadingNumber(trimmed);
  if (!part) return { problem: 'it does not begin with a number' };
  const name = part.rest.trim().replace(/B$/, '');
  const unit = units.find(([known]) => known === name);
  if (!unit) {
    const close = units.find(([known]) => known.toLowerCase() === name.toLowerCase());
    return { problem: close ? `the unit is written ${close[0]}` : 'the unit is unknown' };
  }
  const value = Math.round(part.number * unit[1]);
  return Number.isSafeInteger(value) ? { value } : { problem: 'it is too large' };
}

/** Bytes. */
export function parseSize(value: string | number, what = 'the size'): number {
  const reading = typeof value === 'number' ? fromNumber(value) : readSize(value);
  if ('value' in reading) return reading.value;
  throw new ErrandError('usage/invalid', `cannot read ${what} ${JSON.stringify(value)}: ${reading.problem}`, { next: sizeHint });
}

/** Exact: the largest binary unit that divides it, so that `parseSize` reads the same number back. */
export function formatSize(bytes: number): string {
  if (bytes === 0) return '0';
  const unit = units.find(([name, size]) => (name === '' || name.endsWith('i')) && bytes % size === 0);
  return unit ? `${bytes / unit[1]}${unit[0]}` : String(bytes);
}

function fromNumber(value: number): Reading {
  if (!Number.isSafeInteger(value)) return { problem: 'it is not a whole number of bytes' };
  if (value < 0) return { problem: 'it is negative' };
  return { value };
}
