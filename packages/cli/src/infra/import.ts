import { ErrandError } from '@errand/contract';
import type { ResourceRecord } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { recordDocument } from '../render/infra/document.ts';
import { plural, visible } from '../render/text.ts';
import { withStack } from './stack.ts';

export const importCommand: Action = async (context, args) => {
  const [first = '', second = ''] = args.positionals(0);
  const dryRun = args.flag('dry-run');
  if (!args.flag('all')) {
    if (dryRun) {
      throw new ErrandError('usage/invalid', '--dry-run was given without --all', {
        next: 'Leave it out, or write errand infra import --all PROVIDER TYPE --dry-run.',
      });
    }
    const record = await withStack(context, args, (stack) => stack.import(first, second));
    await tell(context, [record], 'imported');
    return 0;
  }
  const records = await withStack(context, args, (stack) => stack.importAll(first, second, { dryRun }));
  await tell(context, records, dryRun ? 'would import' : 'imported');
  if (!context.json) {
    const found = `${plural(records.length, 'resource')} of type ${visible(second)}`;
    await printLine(context, dryRun ? `Found ${found}; nothing was recorded.` : `Imported ${found}.`);
  }
  if (records.length > 0 && !dryRun)
    await context.say('declare what was imported in errand.yaml, or the next plan will want to delete it');
  return 0;
};

async function tell(context: Context, records: readonly ResourceRecord[], did: string): Promise<void> {
  for (const record of records) {
    await (context.json
      ? printJson(context, recordDocument(record))
      : printLine(context, `${did} ${visible(record.name)} (${visible(record.type)}) [${visible(record.providerId)}]`));
  }
}
