import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Handle, JobSpec, Json, LogChunk, Provider, SecretCall } from '@errand/contract';
import { sshProvider } from '@errand/provider-ssh';
import { openRoughLine } from '@errand/testkit';
import type { LineManners } from '@errand/testkit';
import { nameOf, placeHandle } from '../../src/layout.ts';
import { missingSshd, startSshd } from '../sshd.ts';
import type { Sshd } from '../sshd.ts';

export const ask = { signal: new AbortController().signal, log: () => undefined };

/** Skips, or fails where CI is set. */
export function needSshd(skip: (reason: string) => void): void {
  const missing = missingSshd();
  if (missing === undefined) return;
  if (process.env['CI']) throw new Error(missing);
  skip(missing);
}

/** A line to the server that misbehaves. */
export async function openLine({ port }: Sshd, manners?: LineManners) {
  const line = await openRoughLine({ host: '127.0.0.1', port }, manners);
  return { ...line, port: 'port' in line.near ? line.near.port : 0 };
}

export interface World extends AsyncDisposable {
  readonly home: string;
  readonly owner: string;
  readonly sshd: Sshd;
  readonly placeKey: string;
  open(home?: string): Promise<Required<Pick<Provider, 'host' | 'runner'>> & Provider>;
  call(key: string, epoch?: number): SecretCall;
  /** With options of its own when another way leads there. */
  acquire(options?: Json, expiresIn?: number): Promise<Handle<'place'>>;
  spec(place: Handle<'place'>, script: string, change?: Partial<JobSpec>): JobSpec;
  /** Files and directories of ours on the far side, beside the shim. */
  left(): string[];
}

/** An sshd, a provider on it, and one place that is released in the end. */
export async function openWorld(settings: readonly string[] = []): Promise<World> {
  const sshd = await startSshd(settings);
  const home = await mkdtemp(join(tmpdir(), 'errand-ssh-'));
  const owner = `owner-${randomUUID()}`;
  const placeKey = `place-${randomUUID()}`;
  const opened: Provider[] = [];
  const open: World['open'] = async (at = home) => {
    const provider = await sshProvider.open({ home: at, signal: ask.signal });
    opened.push(provider);
    if (!provider.host || !provider.runner) throw new Error('a facet is missing');
    return { ...provider, host: provider.host, runner: provider.runner };
  };
  const call = (key: string, epoch = 1): SecretCall => ({ ...ask, key, epoch, secret: async () => 'open-sesame-4711' });
  const common = { owner, resources: {}, labels: {} };
  return {
    home,
    owner,
    sshd,
    placeKey,
    open,
    call,
    acquire: async (options = sshd.options, expiresIn = 600_000) =>
      (await open()).host.acquire({ ...common, options, expiresAt: Date.now() + expiresIn }, call(placeKey)),
    spec: (place, script, change = {}) => ({
      ...common,
      options: sshd.options,
      place,
      command: { script },
      env: {},
      secretEnv: {},
      grace: 1_000,
      ...change,
    }),
    left: () =>
      (existsSync(sshd.root) ? readdirSync(sshd.root, { recursive: true, encoding: 'utf8' }) : []).filter(
        (name) => !name.startsWith('shim-'),
      ),
    async [Symbol.asyncDispose]() {
      // The straight way, whatever way led there before.
      const handle = placeHandle({ options: sshd.options, owner: nameOf(owner), place: nameOf(placeKey) });
      try {
        await (await open()).host.release({ key: placeKey, handle }, call(placeKey, 1_000_000));
      } finally {
        for (const one of opened) await one[Symbol.asyncDispose]();
        await sshd[Symbol.asyncDispose]();
        await rm(home, { recursive: true, force: true });
      }
    },
  };
}

export async function texts(chunks: AsyncIterable<LogChunk>): Promise<{ stdout: string; stderr: string }> {
  const all = { stdout: '', stderr: '' };
  for await (const chunk of chunks) all[chunk.stream] += Buffer.from(chunk.bytes).toString();
  return all;
}
