import { ErrandError } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { STEP_FAILED } from '../exit-status.ts';
import { plural, visible } from '../render/text.ts';
import { withStack } from './stack.ts';

/** Deletes only with `--fix`; a first look shows what that would take. */
export const cleanupCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const tag = args.text('tag');
    if (tag === undefined) {
      throw new ErrandError('usage/invalid', 'errand infra cleanup needs --tag', {
        next: 'Write errand infra cleanup --tag TAG; nothing is deleted without --fix.',
      });
    }
    const fix = args.flag('fix');
    const found = await stack.cleanup(tag, { fix });
    for (const { ref, deleted, error } of found) {
      if (context.json) {
        await printJson(context, { ...ref, deleted, ...(error !== undefined && { error }) });
        continue;
      }
      const id = ref.providerId === undefined ? '' : ` [${visible(ref.providerId)}]`;
      const did = deleted ? 'deleted' : error === undefined ? 'would delete' : 'could not delete';
      await printLine(
        context,
        `${did} ${visible(ref.name)} (${visible(ref.type)})${id}${error === undefined ? '' : `: ${visible(error)}`}`,
      );
    }
    const failed = found.filter((one) => one.error !== undefined).length;
    if (found.length === 0) await context.say(`nothing carries the tag '${visible(tag)}'`);
    else if (!fix) await context.say(`${plural(found.length, 'resource')}; add --fix to delete them`);
    else if (failed > 0)
      await context.warn(`${failed} of ${plural(found.length, 'resource')} could not be deleted; run it again`);
    return failed > 0 ? STEP_FAILED : 0;
  });
