import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { join } from 'node:path';
import type { Setup } from './result.ts';

export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio?: StdioOptions;
  /** The exit code that is right; any other one spoils the figure, so it ends the benchmark. */
  readonly exits?: number;
}

/** The built CLI on a data directory of its own. */
export function errand(setup: Setup, home: string, args: readonly string[]): Command {
  const env = { ...process.env, ERRAND_HOME: join(setup.directory, home) };
  return { argv: [process.execPath, setup.program, ...args], cwd: setup.directory, env };
}

export function begin(command: Command): { readonly child: ChildProcess; readonly ended: Promise<void> } {
  const [program = '', ...args] = command.argv;
  const child = spawn(program, args, {
    cwd: command.cwd,
    env: command.env,
    stdio: command.stdio ?? ['ignore', 'ignore', 'inherit'],
  });
  const expected = command.exits ?? 0;
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === expected) resolve();
      else reject(new Error(`${command.argv.join(' ')}: ended with ${code ?? signal} instead of ${expected}`));
    });
  });
  return { child, ended };
}

/** Milliseconds from the spawn to the end. */
export async function time(command: Command): Promise<number> {
  const start = performance.now();
  await begin(command).ended;
  return performance.now() - start;
}

export async function textOf(command: Command): Promise<string> {
  const { child, ended } = begin({ ...command, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part));
  await ended;
  return text;
}
