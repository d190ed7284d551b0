import { ErrandError } from '@errand/contract';
import { readPlan, requireAllowable, requireAllowed } from '@errand/core';
import type { InfraStack, Plan } from '@errand/core';
import { resolve } from 'node:path';
import type { Action } from '../command.ts';
import type { Context } from '../context.ts';
import { CANCELLED } from '../exit-status.ts';
import type { Arguments } from '../parse.ts';
import { plural, visible } from '../render/text.ts';
import { confirmed, needYes } from './confirm.ts';
import { execute } from './execute.ts';
import { interruptible } from './interruptible.ts';
import { applyOptions, planOptions } from './options.ts';
import { refuseBlocked, showPlan } from './show-plan.ts';
import { withNamedStack, withStack } from './stack.ts';

export const applyCommand: Action = async (context, args) => {
  const file = args.positional(0);
  if (file !== undefined) return applySaved(context, args, file);
  needYes(context, args, 'errand infra apply');
  return planAndExecute(context, args, 'apply');
};

export const destroyCommand: Action = async (context, args) => {
  needYes(context, args, 'errand infra destroy');
  return planAndExecute(context, args, 'destroy');
};

async function planAndExecute(context: Context, args: Arguments, purpose: Plan['purpose']): Promise<number> {
  const options = { ...applyOptions(args), ...ownerOptions(args, purpose) };
  return withStack(context, args, async (stack) => {
    const plan = await interruptible(context, (signal) => agreedPlan(context, args, stack, { purpose, signal }));
    return plan === undefined ? CANCELLED : execute(context, stack, plan, options);
  });
}

/** Undefined when the person did not agree. A plan without changes needs no answer: it only records what is there. */
async function agreedPlan(
  context: Context,
  args: Arguments,
  stack: InfraStack,
  { purpose, signal }: { readonly purpose: Plan['purpose']; readonly signal: AbortSignal },
): Promise<Plan | undefined> {
  const allow = args.list('allow');
  if (allow.length > 0) requireAllowable(allow, stack.stack, await stack.state());
  const plan = await stack.plan({ ...planOptions(args, signal), purpose });
  const changes = await showPlan(context, stack, plan, (document) => ({ plan: document }));
  refuseBlocked(plan);
  // Apply asks this again; here it spares a person a yes that leads to a no.
  requireAllowed(plan, allow);
  if (!changes || args.flag('yes')) return plan;
  const question = `${purpose === 'destroy' ? 'Destroy' : 'Apply'} this (${plural(plan.actions.length, 'action')})?`;
  return (await confirmed(context, question, signal)) ? plan : undefined;
}

/** A saved plan was looked at when it was made: nobody is asked again, and nothing about it can be chosen any more. */
async function applySaved(context: Context, args: Arguments, file: string): Promise<number> {
  const chosen = ['target', 'exclude', 'no-refresh'].find((option) => args.list(option).length > 0);
  if (chosen !== undefined) {
    throw new ErrandError('usage/invalid', `--${chosen} was given together with the saved plan ${visible(file)}`, {
      next: `Leave it out, or plan again with it: errand infra plan --${chosen} … --out ${visible(file)}`,
    });
  }
  const plan = await readPlan(resolve(context.cwd, file));
  const env = args.text('env');
  if (env !== undefined && env !== plan.stack) {
    throw new ErrandError('usage/invalid', `${visible(file)} is a plan for '${visible(plan.stack)}', not for '${visible(env)}'`, {
      next: 'Leave --env out, or plan again for that environment.',
    });
  }
  return withNamedStack(context, plan.stack === 'default' ? undefined : plan.stack, async (stack) => {
    refuseBlocked(plan);
    return execute(context, stack, plan, { ...applyOptions(args), ...ownerOptions(args, 'apply') });
  });
}

function ownerOptions(args: Arguments, purpose: Plan['purpose']) {
  if (purpose === 'destroy') return {};
  const owner = args.text('owner');
  if (owner === undefined && args.flag('force-owner')) {
    throw new ErrandError('usage/invalid', '--force-owner was given, but no --owner says for whom', {
      next: 'Add --owner NAME.',
    });
  }
  return owner === undefined ? {} : { owner, forceOwner: args.flag('force-owner') };
}
