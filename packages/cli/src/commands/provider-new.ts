import { resolve } from 'node:path';
import { ErrandError } from '@errand/contract';
import { scaffoldProvider } from '../author/scaffold.ts';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { providersByName } from '../providers.ts';
import { version } from '../version.ts';

export const providerNewCommand: Action = async (context, args) => {
  const name = args.positional(0) ?? '';
  checkName(name);
  const made = await scaffoldProvider(name, resolve(context.cwd, args.text('dir') ?? '.'), version);
  if (context.json) await printJson(context, made);
  else await printLine(context, `made ${made.directory}`);
  if (made.linked !== undefined)
    await context.say(`linked node_modules/errand to ${made.linked}; npm install puts a released one there`);
  await context.say(`try: errand provider test ${args.text('dir') === undefined ? name : made.directory}`);
  return 0;
};

/** The name of a plugin, as every reader of a manifest wants it. */
function checkName(name: string): void {
  const refuse = (what: string, next: string) => {
    throw new ErrandError('usage/invalid', `tried to make a provider named ${JSON.stringify(name)}: ${what}`, { next });
  };
  if (!/^[a-z][a-z0-9-]*[a-z0-9]$/.test(name)) {
    refuse(
      'that is no name of a plugin',
      'Begin with a lower-case letter, end with one or a digit, and use only those and dashes, such as my-cloud.',
    );
  }
  if (name.length > 60) refuse('that is longer than 60 characters', 'Choose a shorter one.');
  if (providersByName.has(name)) refuse('that is a built-in provider', 'Choose another name.');
}
