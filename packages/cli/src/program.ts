// From an argv to an exit status, with the outside passed in.
import type { RuntimeOptions } from '@errand/core';
import { createStyle } from './render/style.ts';
import type { Ask, Context, OpenOptions } from './context.ts';
import type { Sink } from './sink.ts';
import { commands, globalOptions } from './commands.ts';
import { errorDocument, errorText } from './errors.ts';
import { FAILED } from './exit-status.ts';
import { parse } from './parse.ts';

/** The parts of a context that do not depend on the command line. */
export interface Outside extends Pick<Context, 'cwd' | 'env' | 'now' | 'onInterrupt' | 'leave' | 'startDetached'> {
  readonly out: Sink;
  readonly err: Sink;
  readonly ask?: Ask;
  open(
    options: OpenOptions & { readonly home?: string; readonly config?: string } & Required<
        Pick<RuntimeOptions, 'log' | 'refill'>
      >,
  ): ReturnType<Context['open']>;
}

const grammar = { commands, globalOptions };

export async function runProgram(outside: Outside, line: readonly string[]): Promise<number> {
  try {
    return await dispatch(outside, line);
  } catch (error) {
    // Before the `--`, so that an argument of the job is not taken for ours, whatever else is wrong with the line.
    const own = line.includes('--') ? line.slice(0, line.indexOf('--')) : line;
    if (own.includes('--json')) await outside.out.write(`${JSON.stringify(errorDocument(error))}\n`);
    await outside.err.write(errorText(error, outside.env['ERRAND_DEBUG'] === '1'));
    return FAILED;
  }
}

async function dispatch(outside: Outside, line: readonly string[]): Promise<number> {
  if (line[0] === '--version' || line[0] === '-V') {
    const { version } = await import('./version.ts');
    await outside.out.write(line.includes('--json') ? `${JSON.stringify({ version })}\n` : `${version}\n`);
    return 0;
  }
  const { command, group, args } = parse(grammar, line);
  if (!command || args.flag('help')) {
    const { commandHelp, overview } = await import('./help.ts');
    const asked = args.flag('help');
    await (asked ? outside.out : outside.err).write(command ? commandHelp(grammar, command) : overview(grammar, group));
    return asked ? 0 : FAILED;
  }
  const quiet = args.flag('quiet');
  const home = args.text('home');
  const config = args.text('config');
  const warn = async (text: string): Promise<void> => {
    await outside.err.write(text.startsWith(' ') ? `${text}\n` : `errand: ${text}\n`);
  };
  const say = quiet ? () => Promise.resolve() : warn;
  const started: Promise<void>[] = [];
  const refill = (environment: string): void => {
    const where = [...(home === undefined ? [] : ['--home', home]), ...(config === undefined ? [] : ['--config', config])];
    started.push(outside.startDetached(['warm', environment, '--quiet', ...where]).catch(() => undefined));
  };
  const context: Context = {
    out: outside.out,
    err: outside.err,
    style: createStyle(outside.out.isTTY, outside.env),
    json: args.flag('json'),
    quiet,
    home,
    config,
    cwd: outside.cwd,
    env: outside.env,
    now: outside.now,
    say,
    warn,
    ask: outside.ask,
    open: (options = {}) =>
      outside.open({
        ...options,
        ...(home === undefined ? {} : { home }),
        ...(config === undefined ? {} : { config }),
        log: (text) => void say(text),
        refill,
      }),
    onInterrupt: outside.onInterrupt,
    leave: outside.leave,
    startDetached: outside.startDetached,
  };
  const action = await command.load();
  const status = await action(context, args);
  await Promise.all(started);
  return status;
}
