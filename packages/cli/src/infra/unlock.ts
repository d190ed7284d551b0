import { ErrandError } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { CANCELLED } from '../exit-status.ts';
import { lockDocument } from '../render/infra/document.ts';
import { lockText } from '../render/infra/state.ts';
import { confirmed } from './confirm.ts';
import { interruptible } from './interruptible.ts';
import { withStack } from './stack.ts';

/** A lock dies with its owner, so this is for an owner who lives and must lose it; whatever it still writes is refused. */
export const unlockCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const lock = await stack.lock();
    if (lock === undefined) {
      await (context.json ? printJson(context, { unlocked: false }) : context.say('nobody holds the lock'));
      return 0;
    }
    if (!context.json) await printLine(context, lockText(lock, context.now()));
    if (!args.flag('yes')) {
      if (context.ask === undefined || context.json) {
        throw new ErrandError('usage/invalid', `taking the lock from ${lock.owner} needs a yes, and nobody can be asked`, {
          next: 'Make sure that it is not at work any more, then write errand infra unlock --yes.',
        });
      }
      if (!(await interruptible(context, (signal) => confirmed(context, 'Take the lock away?', signal)))) return CANCELLED;
    }
    const taken = await stack.unlock();
    if (context.json) await printJson(context, { unlocked: taken !== undefined, lock: taken && lockDocument(taken) });
    else await printLine(context, 'unlocked; whatever its holder still tries to write is refused');
    return 0;
  });
