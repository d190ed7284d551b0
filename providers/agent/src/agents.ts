// Which agents were ever asked for anything. A job or place whose handle was never heard of is looked for on all of them,
// so an agent is written down before the first call that makes something there. The newest way to an address wins: a
// handle made before a certificate or token moved stays good. The protocol does not change with it: what was made over
// one is unknown over the other, and "unknown" must not be heard when only the wrong question was asked.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@errand/contract';
import { connectionData, readConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import type { Far } from './far.ts';

export interface Agents extends AsyncDisposable {
  /** The connection is made when it is first needed and kept. */
  at(connection: Connection): Promise<Far>;
  /** For something new: what the environment says, with the protocol that was found, written down. */
  enter(connection: Connection): Promise<{ readonly connection: Connection; readonly far: Far }>;
  /** For what a handle stands for. */
  back(connection: Connection): Promise<Far>;
  known(): readonly Connection[];
}

export function createAgents(home: string, connect: (connection: Connection) => Promise<Far>): Agents {
  const dir = join(home, 'agents');
  const opened = new Map<string, Promise<Far>>();
  const written = new Map<string, string>();
  const fileOf = (address: string) => join(dir, createHash('sha256').update(address).digest('hex').slice(0, 16));
  const dataOf = (connection: Connection) => JSON.stringify(connectionData(connection));

  function at(connection: Connection): Promise<Far> {
    const name = dataOf(connection);
    let far = opened.get(name);
    if (!far) {
      far = connect(connection);
      opened.set(name, far);
      // A failed one is not kept: the next caller may have more luck.
      far.catch(() => opened.delete(name));
    }
    return far;
  }

  function remember(connection: Connection): void {
    const data = dataOf(connection);
    if (written.get(connection.address) === data) return;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const file = fileOf(connection.address);
    const draft = `${file}.${process.pid}.new`;
    writeFileSync(draft, data, { mode: 0o600 });
    renameSync(draft, file);
    written.set(connection.address, data);
  }

  return {
    at,
    async enter(connection) {
      const far = await at(connection);
      const found = { ...connection, protocol: far.protocol };
      remember(found);
      return { connection: found, far };
    },
    back({ protocol, ...connection }) {
      const newest = read(fileOf(connection.address)) ?? connection;
      return at(protocol === undefined ? newest : { ...newest, protocol });
    },
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
