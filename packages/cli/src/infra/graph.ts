import { ErrandError } from '@errand/contract';
import { drawingOf, toDot, toSvg } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson } from '../context.ts';
import { CANCELLED } from '../exit-status.ts';
import { interruptible } from './interruptible.ts';
import { withStack } from './stack.ts';

/** What depends on what, as it is declared; asks the providers only with `--plan`. */
export const graphCommand: Action = async (context, args) => {
  if (args.flag('svg') && args.flag('dot')) {
    throw new ErrandError('usage/invalid', '--svg and --dot were both given', { next: 'Give one of them.' });
  }
  const status = await interruptible(context, (signal) =>
    withStack(context, args, async (infra) => {
      const { stack } = infra;
      const drawing = drawingOf(stack, args.flag('plan') ? await infra.plan({ signal }) : undefined);
      if (context.json) {
        const edges = drawing.edges.map(([from, to]) => ({ from, to }));
        await printJson(context, { stack: stack.name, nodes: drawing.nodes, edges });
      } else await context.out.write(`${(args.flag('svg') ? toSvg(drawing) : toDot(drawing)).trimEnd()}\n`);
      return 0;
    }),
  );
  return status ?? CANCELLED;
};
