import { ErrandError } from '@errand/contract';
import { stackDot, stackSvg } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson } from '../context.ts';
import { withStack } from './stack.ts';

/** What depends on what, as it is declared; asks no provider. */
export const graphCommand: Action = (context, args) =>
  withStack(context, args, async ({ stack }) => {
    if (args.flag('svg') && args.flag('dot')) {
      throw new ErrandError('usage/invalid', '--svg and --dot were both given', { next: 'Give one of them.' });
    }
    if (context.json) {
      const resources = [...stack.resources.values()];
      const nodes = resources.map(({ name, type, provider }) => ({ name, type, provider }));
      const edges = resources.flatMap(({ name, dependsOn }) => dependsOn.map((to) => ({ from: name, to })));
      await printJson(context, { stack: stack.name, nodes, edges });
      return 0;
    }
    await context.out.write(args.flag('svg') ? stackSvg(stack) : stackDot(stack));
    return 0;
  });
