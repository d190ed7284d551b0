import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localProvider } from '@errand/provider-local';
import type { Handle, Host, JobSpec, LogChunk, Runner } from '@errand/contract';

export const ask = { signal: new AbortController().signal, log: () => undefined };
export const call = (key: string, epoch = 1) => ({ ...ask, key, epoch, secret: async () => '' });

export interface Bed extends AsyncDisposable {
  readonly home: string;
  /** A process of its own that starts one job; it is killed at the end if it still is there. */
  opener(script: string): ChildProcess;
  /** As a fresh process would find things. */
  open(): Promise<{ readonly host: Host; readonly runner: Runner }>;
  /** The supervisor's or the main process's pid, from the job's record. */
  pid(of: 'claimed' | 'main'): Promise<number>;
  readWork(file: string): Promise<string>;
}

export const placeKey = 'place-1';
export const jobKey = 'job-1';

export async function openBed(): Promise<Bed> {
  const home = await mkdtemp(join(tmpdir(), 'errand-local-'));
  const children: ChildProcess[] = [];
  const open = async () => {
    const { host, runner } = await localProvider.open({ home, signal: ask.signal });
    if (!host || !runner) throw new Error('a facet is missing');
    return { host, runner };
  };
  return {
    home,
    open,
    opener(script) {
      const program = fileURLToPath(new URL('./opener.ts', import.meta.url));
      const child = spawn(process.execPath, ['--no-warnings', program, home, placeKey, jobKey, script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      return child;
    },
    pid: async (of) => {
      const text = await readFile(join(home, 'places', placeKey, `j.${jobKey}.job`), 'utf8');
      const line = text.split('\n').find((one) => one.startsWith(`{"${of}"`)) ?? '{}';
      return (JSON.parse(line) as Record<string, { pid: number }>)[of]?.pid ?? 0;
    },
    readWork: (file) => readFile(join(home, 'places', placeKey, 'work', file), 'utf8').catch(() => ''),
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL');
      const { host } = await open();
      await host.release({ key: placeKey }, call(placeKey, 1_000));
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Resolves when the child has printed the word. */
export async function says(child: ChildProcess, word: string): Promise<void> {
  let seen = '';
  for await (const text of child.stdout ?? []) {
    seen += String(text);
    if (seen.includes(word)) return;
  }
  throw new Error(`it ended without saying ${word}: ${seen}`);
}

export async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await gone;
}

export function specFor(place: Handle<'place'>, script: string): JobSpec {
  return {
    owner: 'test',
    place,
    command: { script },
    env: {},
    secretEnv: {},
    resources: {},
    grace: 1_000,
    labels: {},
    options: {},
  };
}

export const placeSpec = () => ({ owner: 'test', expiresAt: Date.now() + 600_000, resources: {}, labels: {}, options: {} });

export async function stdoutOf(chunks: AsyncIterable<LogChunk>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) if (chunk.stream === 'stdout') parts.push(chunk.bytes);
  return Buffer.concat(parts).toString();
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
