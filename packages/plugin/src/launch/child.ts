import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams, SpawnOptionsWithoutStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrandError } from '@errand/contract';
import { longestLine } from '../handshake/line.ts';
import { createLines, createTail } from './lines.ts';
import { signalGroup } from './signal-group.ts';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface PluginChild {
  readonly pid: number;
  /** The first line of stdout, or undefined when stdout ended without one. Everything behind it is read and dropped. */
  readonly firstLine: Promise<string | undefined>;
  /** Resolves when the process is gone; never rejects. What it left in its group has been killed by then. */
  readonly ended: Promise<Ending>;
  /** Undefined while it lives. */
  readonly ending: () => Ending | undefined;
  readonly lastLines: () => readonly string[];
  readonly signal: (signal: NodeJS.Signals) => void;
}

export interface ChildOptions {
  readonly executable: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Each line of stderr. */
  readonly log: (line: string) => void;
}

/** In a session of its own, so that Ctrl-C in a terminal reaches the host alone and the whole group can be ended. */
export async function spawnChild({ executable, directory, env, log }: ChildOptions): Promise<PluginChild> {
  const child = spawnOrSay(executable, { cwd: directory, env: { ...env }, detached: true, stdio: 'pipe' });
  const tail = createTail();
  const lines = createLines((line) => {
    tail.push(line);
    log(line);
  });
  child.stderr.on('data', (chunk: Buffer) => lines.push(chunk)).on('error', () => undefined);
  // Held open for as long as we live and never written: its end tells the plugin that we are gone.
  child.stdin.on('error', () => undefined);
  const firstLine = readFirstLine(child.stdout);
  let ending: Ending | undefined;
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => {
      ending = { code, signal };
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      // What it said last is on its way still; a grandchild in another group may hold the pipe for ever.
      const enough = new AbortController();
      child.once('close', () => enough.abort());
      void sleep(200, undefined, enough)
        .catch(() => {})
        .then(() => {
          lines.end();
          for (const stream of child.stdio) stream?.destroy();
          resolve({ code, signal });
        });
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(notStarted(executable, error)));
  });
  const pid = child.pid as number;
  const signal = (name: NodeJS.Signals) => {
    if (ending === undefined) signalGroup(pid, name);
  };
  return { pid, firstLine, ended, ending: () => ending, lastLines: tail.lines, signal };
}

/** Most failures to start come as an event; a few, such as too large an environment, are thrown. */
function spawnOrSay(executable: string, options: SpawnOptionsWithoutStdio): ChildProcessWithoutNullStreams {
  try {
    return spawn(executable, [], options);
  } catch (error) {
    throw notStarted(executable, error as Error);
  }
}

function notStarted(executable: string, error: Error): ErrandError {
  return new ErrandError('provider/failed', `started the plugin ${executable}: ${error.message}`, {
    next: 'Check that the file is a program for this machine, and that the interpreter in its first line exists.',
    cause: error,
  });
}

function readFirstLine(stream: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    let held = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      const at = held.indexOf(10);
      if (at === -1 && held.length <= longestLine) return;
      stream.off('data', read);
      stream.resume();
      resolve(held.subarray(0, at === -1 ? longestLine + 1 : at).toString('utf8'));
    };
    stream.on('data', read);
    stream.on('error', () => undefined);
    stream.once('close', () => resolve(undefined));
    stream.once('end', () => resolve(undefined));
  });
}
