import { ErrandError } from '@errand/contract';
import type { Action } from '../command.ts';
import { commands, globalOptions } from '../commands.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { printJson } from '../context.ts';

export const completionCommand: Action = async (context, args) => {
  const shell = args.positional(0) ?? '';
  const scripts: Readonly<Record<string, typeof bashCompletion | undefined>> = {
    bash: bashCompletion,
    zsh: zshCompletion,
    fish: fishCompletion,
  };
  const make = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!make) {
    throw new ErrandError('usage/invalid', `there is no completion script for ${JSON.stringify(shell)}`, {
      next: 'Use one of: bash, zsh, fish.',
    });
  }
  const script = make({ commands, globalOptions });
  await (context.json ? printJson(context, { shell, script }) : context.out.write(script));
  return 0;
};
