import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { visible } from '../render/text.ts';
import { withStack } from './stack.ts';

export const bootstrapCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const env = await stack.bootstrap();
    if (context.json) await printJson(context, env);
    else for (const [name, value] of Object.entries(env)) await printLine(context, `${visible(name)}=${visible(value)}`);
    if (Object.keys(env).length === 0) await context.say('the place of the state stands; nothing is to be set');
    return 0;
  });
