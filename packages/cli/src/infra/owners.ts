import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { table } from '../render/table.ts';
import { visible } from '../render/text.ts';
import { withStack } from './stack.ts';

export const ownersCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const owner = args.positional(0) ?? '';
    const found = await stack.owners(owner, args.text('type'));
    if (context.json) {
      for (const { ref, provider, source, owner: of } of found) await printJson(context, { ...ref, provider, owner: of, source });
      return 0;
    }
    if (found.length === 0) {
      await context.say(`nothing belongs to '${visible(owner)}'`);
      return 0;
    }
    const head = ['RESOURCE', 'TYPE', 'PROVIDER', 'KEPT IN', 'ID'].map((text) => ({ text, paint: context.style.bold }));
    const rows = found.map(({ ref, provider, source }) =>
      [ref.name, ref.type, provider, source, ref.providerId ?? '-'].map((text) => ({ text: visible(text) })),
    );
    for (const line of table(head, rows, context.out.columns)) await printLine(context, line);
    return 0;
  });
