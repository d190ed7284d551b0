import type { Json } from '@errand/contract';
import type { Plan } from '@errand/core';
import type { Style } from '../style.ts';
import { visible } from '../text.ts';
import { paintMark } from './change.ts';
import { SENSITIVE, UNKNOWN, valueText } from './value.ts';

/** Outputs as the state has them; values of sensitive ones may be hidden. */
export type Recorded = Readonly<Record<string, { readonly value: Json; readonly sensitive: boolean }>>;

export interface OutputChange {
  readonly name: string;
  readonly mark: '+' | '~' | '-';
  readonly text: string;
}

/** A sensitive output that stays cannot be compared: it is taken as changed only when its value is unknown yet. */
export function outputChanges(plan: Plan, recorded: Recorded): OutputChange[] {
  const planned = plan.purpose === 'destroy' ? {} : plan.outputs;
  const changes: OutputChange[] = [];
  for (const [name, { value, unknown, sensitive }] of Object.entries(planned)) {
    const before = recorded[name];
    const text = sensitive ? SENSITIVE : unknown ? UNKNOWN : valueText(value);
    if (before === undefined) changes.push({ name, mark: '+', text });
    else if (unknown || before.sensitive !== sensitive || (!sensitive && !same(before.value, value)))
      changes.push({ name, mark: '~', text: `${before.sensitive ? SENSITIVE : valueText(before.value)} → ${text}` });
  }
  for (const name of Object.keys(recorded)) if (!(name in planned)) changes.push({ name, mark: '-', text: '' });
  return changes;
}

export function outputLines(changes: readonly OutputChange[], style: Style): string[] {
  return changes.map(({ name, mark, text }) => `  ${paintMark(mark, style)} ${visible(name)}${text === '' ? '' : ` = ${text}`}`);
}

function same(a: Json, b: Json): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  const entries = Object.entries(value as Readonly<Record<string, Json>>).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
