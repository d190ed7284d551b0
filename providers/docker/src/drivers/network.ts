import { randomUUID } from 'node:crypto';
import { ErrandError } from '@errand/contract';
import type { Ask, Attributes, Driver, ResourceOutput, ResourceRef, ResourceSpec, SecretCall } from '@errand/contract';
import { z } from 'zod';
import { trying } from '../errors.ts';
import { label } from '../layout.ts';
import { pause } from '../pause.ts';
import type { Network, NetworkRequest, ResourceEngine } from './client.ts';
import { diffConfig, readConfig } from './config.ts';
import { nameTaken } from './instance.ts';
import { configIn, idOf, labelsFor, markOf, resourceLabel } from './layout.ts';
import { comparable } from './workload.ts';
import type { Identity } from './layout.ts';
import type { Place } from './workload-driver.ts';

const type = 'infra.vpc';

export const networkSchema = z.strictObject({
  cidr: z
    .string()
    .regex(/^[\da-f.:]+\/\d+$/i, 'must be a range such as 10.20.0.0/16')
    .optional()
    .describe('Default: a free one.'),
  internal: z.boolean().optional().describe('Nothing outside can be reached from it. Default: false.'),
  region: z.string().optional().describe('Means nothing here.'),
});

export function networkDriver({ engine: open, scope }: Place): Driver {
  const idFor = (ref: ResourceRef) => ref.providerId ?? idOf(scope, ref.name);

  async function read(ref: ResourceRef, ask: Ask): Promise<ResourceOutput | undefined> {
    const engine = open();
    const found = await trying(engine, `tried to look at the network of ${ref.name}`, () => ours(engine, idFor(ref), ask));
    return found && outputOf(ref.name, found);
  }

  async function create(spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput> {
    const { cidr, internal = false } = readConfig(networkSchema, spec);
    const engine = open();
    const identity = { id: idOf(scope, spec.name), type, name: spec.name, key: call.key };
    const request = { labels: labelsFor(identity, spec.config), internal, ...(cidr === undefined ? {} : { subnet: cidr }) };
    return trying(engine, `tried to make the network ${identity.id}`, async () => {
      const there = await ours(engine, identity.id, call);
      if (there && there.labels[resourceLabel.key] !== call.key) throw nameTaken(identity, `the network ${there.name}`);
      if (!there) await alone(engine, identity.id, call, () => make(engine, identity, request, call));
      const made = await ours(engine, identity.id, call);
      if (!made) throw new ErrandError('provider/failed', `made the network ${identity.id}, and it was gone at once`);
      return outputOf(spec.name, made);
    });
  }

  return {
    // The engine knows things by their names.
    oneName: true,
    configKeys: Object.keys(networkSchema.shape),
    read,
    diff: async ({ config }, { outputs }) =>
      diffConfig(comparable(config), (outputs['applied'] ?? {}) as Attributes, {
        forceNew: ['cidr', 'internal'],
        defaults: { internal: false },
      }),
    create,
    /** Nothing that the engine knows of can be changed. */
    update: async (ref, spec, call) => {
      readConfig(networkSchema, spec);
      const there = await read(ref, call);
      if (there) return there;
      throw new ErrandError('provider/not-found', `tried to update the network ${idFor(ref)}: it is gone`);
    },
    delete: async (ref, call) => {
      const engine = open();
      await trying(engine, `tried to remove the network of ${ref.name}`, async () => {
        await engine.removeVolume(claimOf(idFor(ref)), call.signal);
        for (const one of await engine.networks(markOf(type, idFor(ref)), call.signal)) {
          if ((await engine.removeNetwork(one.id, call.signal)) !== 'busy') continue;
          throw new ErrandError('provider/conflict', `tried to remove the network ${one.name}: something is connected to it`, {
            next: `See \`docker network inspect ${one.name}\`, and remove or disconnect what is there.`,
            retry: 'later',
          });
        }
      });
    },
  };
}

async function make(engine: ResourceEngine, identity: Identity, request: NetworkRequest, call: SecretCall): Promise<void> {
  if ((await engine.createNetwork(identity.id, request, call.signal)) === 'made') return;
  const other = await engine.network(identity.id, call.signal);
  if (other?.labels[resourceLabel.key] !== call.key) throw nameTaken(identity, `the network ${identity.id}`);
}

const claimOf = (id: string) => `${id}.claim`;

/** How long one who came second waits for the first one's network. Milliseconds. */
const patience = 3_000;

/**
 * Engines let two networks of a name be made at the same moment, but never two volumes. So whoever gets the volume makes
 * the network; whoever does not waits for it, and makes it himself when the other one seems to be dead.
 */
async function alone(engine: ResourceEngine, id: string, call: SecretCall, work: () => Promise<void>): Promise<void> {
  const tag = randomUUID();
  const claim = await engine.createVolume(claimOf(id), { [label.made]: tag }, call.signal);
  for (const end = performance.now() + patience; claim.labels[label.made] !== tag && performance.now() < end;) {
    if (await ours(engine, id, call)) return;
    await pause(50, call.signal);
  }
  try {
    await work();
  } finally {
    await engine.removeVolume(claim.name, call.signal);
  }
}

async function ours(engine: ResourceEngine, id: string, ask: Ask): Promise<Network | undefined> {
  const found = (await engine.networks(markOf(type, id), ask.signal)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return found[0];
}

function outputOf(name: string, { name: id, labels, subnet, gateway }: Network): ResourceOutput {
  const applied = comparable(configIn(labels));
  return {
    name,
    type,
    providerId: id,
    outputs: { id, network: id, cidr: subnet, gateway, applied },
    sensitive: [],
    status: 'available',
  };
}
