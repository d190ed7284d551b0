import type { InfraStack } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { table } from '../render/table.ts';
import { plural, visible } from '../render/text.ts';
import { withStack } from './stack.ts';

/** Whoever could not be asked is told of, and is a failure: not knowing is not being well. */
export const statusCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const found = await stack.status();
    if (context.json) for (const line of found) await printJson(context, statusDocument(line));
    else if (found.length === 0) await context.say('nothing is recorded; errand infra plan tells what would be made');
    else for (const line of statusTable(context, found)) await printLine(context, line);
    const unknown = found.filter((one) => one.status === 'unknown').length;
    if (unknown > 0) await context.warn(`could not ask about ${unknown} of ${plural(found.length, 'resource')}`);
    return unknown > 0 ? FAILED : 0;
  });

type Found = Awaited<ReturnType<InfraStack['status']>>;

function statusDocument({ record: { name, type, provider, providerId }, status, message }: Found[number]) {
  return { name, type, provider, providerId, status, message };
}

function statusTable({ style: { bold, dim, green, red, yellow }, out }: Context, found: Found): string[] {
  const paint = (status: string) => (status === 'unknown' ? yellow : status === 'gone' || status === 'unhealthy' ? red : green);
  const head = ['RESOURCE', 'TYPE', 'PROVIDER', 'STATUS', 'MESSAGE'].map((text) => ({ text, paint: bold }));
  const rows = found.map(({ record, status, message }) => [
    { text: visible(record.name) },
    { text: visible(record.type) },
    { text: visible(record.provider) },
    { text: visible(status) || '-', paint: paint(status) },
    { text: visible(message), paint: dim },
  ]);
  return table(head, rows, out.columns);
}
