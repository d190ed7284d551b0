// The built program as a real process.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const program = join(import.meta.dirname, '../../bin/errand.js');

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly out: string;
  readonly err: string;
}

export interface Place extends AsyncDisposable {
  readonly directory: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  errand(...args: readonly string[]): Promise<Ended>;
  start(...args: readonly string[]): Started;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the text was seen on stdout; rejects when the program ends without it. */
  says(text: string): Promise<void>;
}

/** A directory of its own, with its own data directory; what runs leave behind is swept away with it. */
export async function makePlace(more: Readonly<Record<string, string>> = {}): Promise<Place> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'errand-e2e-')));
  const home = join(directory, '.errand');
  const env = { ...process.env, ERRAND_HOME: home, ...more };
  const start = (...args: readonly string[]) => follow(spawn(process.execPath, [program, ...args], { cwd: directory, env }));
  return {
    directory,
    home,
    env,
    start,
    errand: (...args) => start(...args).ended,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

export function follow(child: ChildProcess): Started {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => {
      const bytes = Buffer.concat(stdout);
      resolve({ status, signal, stdout: bytes, out: bytes.toString(), err: Buffer.concat(stderr).toString() });
    });
  });
  return {
    child,
    ended,
    async says(text) {
      let over = false;
      void ended.then(() => (over = true));
      while (!Buffer.concat(stdout).includes(text)) {
        if (over) throw new Error(`ended without saying ${JSON.stringify(text)}: ${JSON.stringify(await ended)}`);
        await sleep(10);
      }
    },
  };
}

/** A process that is dead but not yet reaped by its parent does nothing any more; a container's init may never reap it. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export function lines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
