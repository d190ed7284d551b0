// The machines that were ever asked to make something. A job or place whose handle was never heard of is looked for on
// all of them, so a machine is written down before the first call that makes something on it.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@errand/contract';
import { dial } from './dial.ts';
import type { Dialer } from './dial.ts';
import { accountOf, readOptions } from './options.ts';
import { createPool } from './pool.ts';
import type { Pool } from './pool.ts';
import { createRemote } from './remote.ts';
import type { Remote } from './remote.ts';

/** A machine and the options by which it is reached. */
export interface Host {
  readonly options: Json;
  readonly remote: Remote;
}

export interface Hosts extends Disposable {
  /** The provider's private directory on this machine. */
  readonly home: string;
  at(options: Json): Host;
  /** To be called before something is made there. Free of secrets. */
  remember(host: Host): void;
  known(): readonly Host[];
}

export function createHosts(home: string, dialer: Dialer): Hosts {
  const opened = new Map<string, { readonly host: Host; readonly pool: Pool }>();
  const written = new Map<string, string>();
  const dir = join(home, 'hosts');

  function at(options: Json): Host {
    const name = canonical(options);
    const there = opened.get(name);
    if (there) return there.host;
    const target = readOptions(options);
    const pool = createPool(target.connections, (signal) => dial(dialer, target, signal));
    const host = { options, remote: createRemote(target, pool) };
    opened.set(name, { host, pool });
    return host;
  }

  return {
    home,
    at,
    remember({ options, remote: { target } }) {
      // By what they lead to: the latest options for a machine are the ones that work.
      const route = [...target.jumps, target].map(accountOf).join(' ');
      const name = createHash('sha256').update(`${route} ${target.root}`).digest('hex').slice(0, 16);
      const content = canonical(options);
      if (written.get(name) === content) return;
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const draft = join(dir, `.${name}.${process.pid}`);
      writeFileSync(draft, content, { mode: 0o600 });
      renameSync(draft, join(dir, name));
      written.set(name, content);
    },
    known: () => optionsIn(dir).map(at),
    [Symbol.dispose]() {
      for (const { pool } of opened.values()) pool[Symbol.dispose]();
      opened.clear();
    },
  };
}

/** What `work` gives for each known machine. One that fails does not hide the others; its error comes last. */
export async function* onEach<T>(hosts: Hosts, work: (host: Host) => AsyncIterable<T>): AsyncGenerator<T> {
  let trouble: Error | undefined;
  for (const host of hosts.known()) {
    try {
      yield* work(host);
    } catch (error) {
      trouble ??= error instanceof Error ? error : new Error(String(error));
    }
  }
  if (trouble) throw trouble;
}

function optionsIn(dir: string): Json[] {
  let names: string[];
  try {
    names = readdirSync(dir).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
  return names.map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')) as Json);
}

/** The same text for the same options, in whatever order they were written. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
