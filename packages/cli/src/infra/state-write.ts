import { ErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import type { StateHead } from '@errand/core';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { headDocument } from '../render/infra/document.ts';
import { visible } from '../render/text.ts';
import { readWholeNumber } from './options.ts';
import { withStack } from './stack.ts';

export const stateMoveCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const [from = '', to = ''] = args.positionals(0);
    return tell(context, await stack.move(from, to), `${visible(from)} is recorded as ${visible(to)} now`);
  });

export const stateRemoveCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const names = args.positionals(0);
    const head = await stack.remove(names);
    return tell(context, head, `forgot ${names.map(visible).join(', ')}; what it stood for was not touched`);
  });

export const stateRestoreCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const serial = readWholeNumber('SERIAL', args.positional(0) ?? '');
    return tell(context, await stack.restore(serial), `the record is again as it was at serial ${serial}`);
  });

export const statePushCommand: Action = async (context, args) => {
  const file = args.positional(0) ?? '';
  const document = await readDocument(resolve(context.cwd, file), file);
  return withStack(context, args, async (stack) =>
    tell(context, await stack.push(document, { force: args.flag('force') }), `took the record from ${visible(file)}`),
  );
};

async function tell(context: Context, head: StateHead, what: string): Promise<number> {
  await (context.json ? printJson(context, headDocument(head)) : printLine(context, `${what} (serial ${head.serial})`));
  return 0;
}

async function readDocument(path: string, file: string): Promise<Json> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ErrandError('usage/invalid', `cannot read ${visible(file)} (${error.code ?? error.message})`, {
      next: 'Name a file that errand infra state pull wrote.',
      cause: error,
    });
  });
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new ErrandError('state/corrupt', `${visible(file)} is not JSON; nothing was changed`, {
      next: 'Name a file that errand infra state pull wrote.',
      cause: error,
    });
  }
}
