import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ask, Call, Handle, Host, JobExit, PlaceSpec, Provider, Seen, TreeEntry } from '@errand/contract';
import type { ProviderSubject } from '../runner/world.ts';

export interface HostWorld extends AsyncDisposable {
  readonly home: string;
  readonly owner: string;
  readonly provider: Provider;
  readonly host: Host;
  readonly ask: Ask;
  /** As a fresh process would find it. */
  reopen(): Promise<Host>;
  newKey(): string;
  call(key: string, epoch?: number): Call;
  spec(change?: Partial<PlaceSpec>): PlaceSpec;
  acquire(key?: string): Promise<{ readonly key: string; readonly place: Handle<'place'> }>;
  realize(place: Handle<'place'>, entries: Iterable<TreeEntry>, epoch?: number): Promise<void>;
  collect(place: Handle<'place'>, ...patterns: string[]): Promise<Collected[]>;
  inventory(owner?: string): Promise<Seen<'place'>[]>;
  /** Starts a script in the place; the result waits for its end. */
  start(place: Handle<'place'>, script: string): Promise<() => Promise<JobExit>>;
  run(place: Handle<'place'>, script: string): Promise<JobExit>;
}

/** A collected entry with its content read. */
export type Collected =
  | { readonly path: string; readonly text: string; readonly mode: number }
  | { readonly path: string; readonly target: string }
  | { readonly path: string; readonly directory: true };

export async function openHostWorld(subject: ProviderSubject): Promise<HostWorld> {
  const home = await mkdtemp(join(tmpdir(), 'errand-host-'));
  const owner = `owner-${randomUUID()}`;
  const opened: Provider[] = [];
  const made: string[] = [];
  const open = async () => {
    const provider = await subject.open(home);
    opened.push(provider);
    if (!provider.host) throw new Error('the provider offers no host');
    return { provider, host: provider.host };
  };
  const { provider, host } = await open();
  const ask: Ask = { signal: new AbortController().signal, log: () => undefined };
  const call = (key: string, epoch = 1): Call => ({ ...ask, key, epoch });
  const spec = (change: Partial<PlaceSpec> = {}): PlaceSpec => ({
    owner,
    expiresAt: Date.now() + 600_000,
    resources: {},
    labels: {},
    options: subject.options ?? {},
    ...(subject.image === undefined ? {} : { image: subject.image }),
    ...(subject.standing === undefined ? {} : { standing: subject.standing }),
    ...change,
  });
  const newKey = () => {
    const key = `place-${randomUUID()}`;
    made.push(key);
    return key;
  };
  const start: HostWorld['start'] = async (place, script) => {
    const { runner } = provider;
    if (!runner) throw new Error('the provider offers no runner');
    const key = `job-${randomUUID()}`;
    const { options, resources, labels } = spec();
    const image = subject.image === undefined ? {} : { image: subject.image };
    const job = { owner, place, command: { script }, env: {}, secretEnv: {}, resources, grace: 2_000, labels, options, ...image };
    const handle = await runner.start(job, { ...call(key), secret: async () => '' });
    return () => runner.wait({ key, handle }, ask);
  };
  return {
    home,
    owner,
    provider,
    host,
    ask,
    reopen: async () => (await open()).host,
    newKey,
    call,
    spec,
    acquire: async (key = newKey()) => ({ key, place: await host.acquire(spec(), call(key)) }),
    realize: (place, entries, epoch = 1) => host.realize(place, inOrder(entries), call('realize', epoch)),
    collect: async (place, ...patterns) => {
      const found: Collected[] = [];
      for await (const entry of host.collect(place, patterns, ask)) found.push(await readEntry(entry));
      return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },
    inventory: async (of = owner) => {
      const seen: Seen<'place'>[] = [];
      for await (const one of host.inventory(of, ask)) seen.push(one);
      return seen;
    },
    start,
    run: async (place, script) => (await start(place, script))(),
    async [Symbol.asyncDispose]() {
      for (const key of made) await host.release({ key }, call(key, 1_000));
      for (const one of opened) await one[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function* inOrder(entries: Iterable<TreeEntry>): AsyncGenerator<TreeEntry> {
  yield* entries;
}

async function readEntry(entry: TreeEntry): Promise<Collected> {
  if (entry.kind === 'link') return { path: entry.path, target: entry.target };
  if (entry.kind === 'directory') return { path: entry.path, directory: true };
  const parts: Uint8Array[] = [];
  for await (const bytes of entry.content()) parts.push(bytes);
  return { path: entry.path, text: Buffer.concat(parts).toString(), mode: entry.mode & 0o777 };
}

export function file(path: string, text: string, mode = 0o644): TreeEntry {
  const bytes = Buffer.from(text);
  return {
    kind: 'file',
    path,
    mode,
    size: bytes.length,
    async *content() {
      // In pieces, as it comes over a wire.
      for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
    },
  };
}

export const directory = (path: string, mode = 0o755): TreeEntry => ({ kind: 'directory', path, mode });
export const link = (path: string, target: string): TreeEntry => ({ kind: 'link', path, target });
