import { writePlan } from '@errand/core';
import { relative, resolve } from 'node:path';
import type { Action } from '../command.ts';
import { CANCELLED, CHANGES } from '../exit-status.ts';
import { interruptible } from './interruptible.ts';
import { planOptions } from './options.ts';
import { refuseBlocked, showPlan } from './show-plan.ts';
import { withStack } from './stack.ts';

export const planCommand: Action = async (context, args) => {
  const status = await interruptible(context, (signal) =>
    withStack(context, args, async (stack) => {
      const purpose = args.flag('destroy') ? 'destroy' : 'apply';
      const plan = await stack.plan({ ...planOptions(args, signal), purpose });
      const changes = await showPlan(context, stack, plan, (document) => document);
      refuseBlocked(plan);
      const out = args.text('out');
      if (out !== undefined) {
        const file = resolve(context.cwd, out);
        await writePlan(file, plan);
        await context.say(`wrote the plan to ${out}; apply exactly this with: errand infra apply ${relative(context.cwd, file)}`);
      }
      return changes && args.flag('detailed-exitcode') ? CHANGES : 0;
    }),
  );
  return status ?? CANCELLED;
};
