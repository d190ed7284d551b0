import { ErrandError } from '@errand/contract';
import type { ApplyOptions, PlanOptions } from '@errand/core';
import type { Arguments } from '../parse.ts';
import { visible } from '../render/text.ts';

export function planOptions(args: Arguments, signal: AbortSignal): PlanOptions {
  const parallelism = wholeNumber(args, 'parallelism');
  return {
    refresh: !args.flag('no-refresh'),
    signal,
    ...list('target', args),
    ...list('exclude', args),
    ...(parallelism !== undefined && { parallelism }),
  };
}

export function applyOptions(args: Arguments): Pick<ApplyOptions, 'parallelism' | 'allow'> {
  const parallelism = wholeNumber(args, 'parallelism');
  return { ...list('allow', args), ...(parallelism !== undefined && { parallelism }) };
}

function list<K extends string>(option: K, args: Arguments): { readonly [P in K]?: readonly string[] } {
  const given = args.list(option);
  return given.length === 0 ? {} : ({ [option]: given } as { readonly [P in K]?: readonly string[] });
}

/** Above 0. */
export function wholeNumber(args: Pick<Arguments, 'text'>, option: string): number | undefined {
  const text = args.text(option);
  return text === undefined ? undefined : readWholeNumber(`--${option}`, text);
}

export function readWholeNumber(what: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new ErrandError('usage/invalid', `${what} takes a whole number above 0, but got '${visible(text)}'`, {
    next: `Write, for instance, ${what} 4.`,
  });
}
