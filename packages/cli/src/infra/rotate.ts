import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { STEP_FAILED } from '../exit-status.ts';
import { recordDocument } from '../render/infra/document.ts';
import { visible } from '../render/text.ts';
import { withStack } from './stack.ts';

export const rotateCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const name = args.positional(0) ?? '';
    const { record, revoked, problem } = await stack.rotate(name);
    if (context.json) {
      await printJson(context, { resource: recordDocument(record), revoked, ...(problem !== undefined && { problem }) });
    } else {
      const old = revoked ? 'the old one is revoked' : 'the old one is not revoked';
      await printLine(context, `${visible(name)} has a new credential [${visible(record.providerId)}]; ${old}`);
    }
    if (revoked) return 0;
    await context.warn(`the old credential of ${visible(name)} may still work: ${visible(problem ?? 'nobody could revoke it')}`);
    await context.warn('  next: Revoke it at the provider.');
    return STEP_FAILED;
  });
