import { ErrandError } from '@errand/contract';
import type { Handle, Host, Json, Provider, Seen } from '@errand/contract';
import type { Agents } from './agents.ts';
import { connectionOf, farOptions } from './connection.ts';
import type { Connection } from './connection.ts';
import { onEach } from './each.ts';
import { unwrap, wrap } from './handle.ts';

export function createHost(agents: Agents): Host {
  const at = async (handle: Handle<'place'>) => {
    const { connection, inner } = unwrap(handle);
    return { host: hostOf(await agents.back(connection)), inner };
  };
  return {
    async acquire(spec, call) {
      const { connection, far } = await agents.enter(agentFor(spec.options));
      return wrap(connection, await hostOf(far).acquire({ ...spec, options: farOptions(spec.options) }, call));
    },
    async renew(place, expiresAt, call) {
      const { host, inner } = await at(place);
      await host.renew(inner, expiresAt, call);
    },
    async realize(place, files, call) {
      const { host, inner } = await at(place);
      await host.realize(inner, files, call);
    },
    async *collect(place, patterns, ask) {
      const { host, inner } = await at(place);
      yield* host.collect(inner, patterns, ask);
    },
    async release(ref, call) {
      if (ref.handle) {
        const { host, inner } = await at(ref.handle);
        return host.release({ key: ref.key, handle: inner }, call);
      }
      for (const connection of agents.known()) await hostOf(await agents.at(connection)).release({ key: ref.key }, call);
    },
    inventory: (owner, ask) => onEach(agents, (connection, far) => wrapped(connection, hostOf(far).inventory(owner, ask))),
  };
}

export function agentFor(options: Json): Connection {
  const connection = connectionOf(options);
  if (connection) return connection;
  throw new ErrandError('config/invalid', 'the environment does not say where its agent listens', {
    next: 'Give it an address, such as mac.example.com:7443.',
  });
}

export async function* wrapped<K extends 'place' | 'job'>(
  connection: Connection,
  all: AsyncIterable<Seen<K>>,
): AsyncGenerator<Seen<K>> {
  for await (const seen of all) yield { ...seen, handle: wrap(connection, seen.handle) };
}

function hostOf(far: Provider): Host {
  if (far.host) return far.host;
  throw new ErrandError('environment/unsupported', 'the agent offers no places', { next: 'Use another agent.' });
}
