// Which agents were ever asked for anything. A job or place whose handle was never heard of is looked for on all of them,
// so an agent is written down before the first call that makes something there. The newest way to an address wins: a
// handle made before a certificate or token moved stays good.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, Provider } from '@errand/contract';
import { connectionData, readConnection } from './connection.ts';
import type { Connection } from './connection.ts';

export interface Agents extends AsyncDisposable {
  /** The connection is made when it is first needed and kept. */
  at(connection: Connection): Promise<Provider>;
  /** To be called with what the environment says, before something is made there. */
  remember(connection: Connection): void;
  newest(connection: Connection): Connection;
  known(): readonly Connection[];
}

export function createAgents(home: string, connect: (connection: Connection) => Promise<Provider>): Agents {
  const dir = join(home, 'agents');
  const opened = new Map<string, Promise<Provider>>();
  const written = new Map<string, string>();
  const fileOf = (address: string) => join(dir, createHash('sha256').update(address).digest('hex').slice(0, 16));
  const dataOf = (connection: Connection) => JSON.stringify(connectionData(connection));

  return {
    at(connection) {
      const name = dataOf(connection);
      let provider = opened.get(name);
      if (!provider) {
        provider = connect(connection);
        opened.set(name, provider);
        // A failed one is not kept: the next caller may have more luck.
        provider.catch(() => opened.delete(name));
      }
      return provider;
    },
    remember(connection) {
      const data = dataOf(connection);
      if (written.get(connection.address) === data) return;
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const file = fileOf(connection.address);
      const draft = `${file}.${process.pid}.new`;
      writeFileSync(draft, data, { mode: 0o600 });
      renameSync(draft, file);
      written.set(connection.address, data);
    },
    newest: (connection) => read(fileOf(connection.address)) ?? connection,
    known: () => namesIn(dir).flatMap((name) => read(join(dir, name)) ?? []),
    async [Symbol.asyncDispose]() {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      await Promise.allSettled(all.map(async (one) => one.status === 'fulfilled' && one.value[Symbol.asyncDispose]()));
    },
  };
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => !name.endsWith('.new'));
  } catch {
    return [];
  }
}

function read(file: string): Connection | undefined {
  try {
    return readConnection(JSON.parse(readFileSync(file, 'utf8')) as Json);
  } catch {
    return undefined;
  }
}
