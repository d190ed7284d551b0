import { ErrandError } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { headDocument, recordDocument } from '../render/infra/document.ts';
import { historyTable, recordDetails, recordTable } from '../render/infra/state.ts';
import { visible } from '../render/text.ts';
import { closest } from '../suggest.ts';
import { withStack } from './stack.ts';

export const stateListCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const { resources } = await stack.state();
    const records = [...resources.values()];
    if (context.json) for (const record of records) await printJson(context, recordDocument(record));
    else if (records.length === 0) await context.say('nothing is recorded');
    else
      for (const line of recordTable(records, context.style, context.now(), context.out.columns)) await printLine(context, line);
    return 0;
  });

export const stateShowCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const name = args.positional(0) ?? '';
    const { resources } = await stack.state();
    const record = resources.get(name);
    if (record === undefined) {
      const guess = closest(name, resources.keys());
      throw new ErrandError(
        'state/unknown',
        `nothing is recorded of '${visible(name)}'${guess === undefined ? '' : `; did you mean '${visible(guess)}'?`}`,
        { next: 'errand infra state list names what is.' },
      );
    }
    if (context.json) await printJson(context, recordDocument(record));
    else for (const line of recordDetails(record, context.style, context.now())) await printLine(context, line);
    return 0;
  });

export const stateHistoryCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const versions = await stack.history();
    if (context.json)
      for (const one of versions) await printJson(context, { ...headDocument(one), by: one.by, resources: one.resources });
    else if (versions.length === 0) await context.say('nothing was ever recorded');
    else
      for (const line of historyTable(versions, context.style, context.now(), context.out.columns))
        await printLine(context, line);
    return 0;
  });

/** A document to keep or to move, so it is printed whole, with or without `--json`. */
export const statePullCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const document = await stack.pull();
    await context.out.write(`${JSON.stringify(document, undefined, context.json ? undefined : 2)}\n`);
    return 0;
  });
