import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { table } from '../render/table.ts';
import { visible } from '../render/text.ts';
import { withStack } from './stack.ts';

export const statusCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const found = await stack.status();
    if (context.json) {
      for (const { record, status, message } of found) {
        const { name, type, provider, providerId } = record;
        await printJson(context, { name, type, provider, providerId, status, message });
      }
      return 0;
    }
    if (found.length === 0) {
      await context.say('nothing is recorded; errand infra plan tells what would be made');
      return 0;
    }
    const { bold, dim } = context.style;
    const head = ['RESOURCE', 'TYPE', 'PROVIDER', 'STATUS', 'MESSAGE'].map((text) => ({ text, paint: bold }));
    const rows = found.map(({ record, status, message }) => [
      { text: visible(record.name) },
      { text: visible(record.type) },
      { text: visible(record.provider) },
      { text: visible(status) || '-' },
      { text: visible(message), paint: dim },
    ]);
    for (const line of table(head, rows, context.out.columns)) await printLine(context, line);
    return 0;
  });
