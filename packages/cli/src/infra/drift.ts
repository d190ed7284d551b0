import type { Attributes, Drift } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { CANCELLED, CHANGES } from '../exit-status.ts';
import { masked, valueText } from '../render/infra/value.ts';
import { plural, visible } from '../render/text.ts';
import { interruptible } from './interruptible.ts';
import { withStack } from './stack.ts';

/** Asks the providers and changes nothing, not even the record. */
export const driftCommand: Action = async (context, args) => {
  const found = await interruptible(context, (signal) => withStack(context, args, (stack) => stack.drift({ signal })));
  if (found === undefined) return CANCELLED;
  const drifted = found.filter((one) => one.drifted);
  if (context.json) for (const one of found) await printJson(context, driftDocument(one));
  else {
    for (const one of drifted) for (const line of driftLines(one, context)) await printLine(context, line);
    const all = plural(found.length, 'resource');
    await printLine(context, drifted.length === 0 ? `No drift: ${all} looked at.` : `Drift: ${drifted.length} of ${all}.`);
  }
  if (drifted.length === 0) return 0;
  await context.say('errand infra plan tells what would be done about it; errand infra refresh takes it as it is.');
  return CHANGES;
};

function driftLines(drift: Drift, { style }: Context): string[] {
  const title = `${style.bold(visible(drift.name))} ${style.dim(`(${visible(drift.type)})`)}`;
  if (drift.class === 'ghost') return [`${style.red('-')} ${title} is gone`];
  const fields = drift.fields.map((path) => {
    const before = at(drift.expected, path);
    const after = at(drift.actual, path);
    if (before === undefined && after === undefined) return `    ${visible(path)}`;
    return `    ${visible(path)}: ${style.red(valueText(before))} → ${style.green(valueText(after))}`;
  });
  return [`${style.yellow('~')} ${title}`, ...fields];
}

function driftDocument({ expected, actual, ...drift }: Drift & { readonly provider: string }) {
  return {
    ...drift,
    ...(expected !== undefined && { expected: masked(expected) }),
    ...(actual !== undefined && { actual: masked(actual) }),
  };
}

/** Detectors answer with structures, or with one entry per path. */
function at(value: Drift['expected'], path: string): Drift['expected'] {
  let found: unknown = value;
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, path)) return (value as Attributes)[path];
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found as Drift['expected'];
}
