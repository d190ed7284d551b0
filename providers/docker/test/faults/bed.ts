import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Handle, JobSpec, SecretCall } from '@errand/contract';
import { openRoughLine } from '@errand/testkit';
import type { LineManners } from '@errand/testkit';
import { parseAddress } from '../../src/address.ts';
import type { Engine } from '../../src/client.ts';
import { createEngines } from '../../src/engines.ts';
import { createHost } from '../../src/host.ts';
import { label } from '../../src/layout.ts';
import { createRunner } from '../../src/runner.ts';
import { openEngine } from '../../src/sdk.ts';
import { ask, findBed, signal } from '../bed.ts';

export const bed = await findBed();

/** Skips, or fails where CI is set. */
export function needEngine(skip: (reason: string) => void): void {
  if (typeof bed !== 'string') return;
  if (process.env['CI']) throw new Error(bed);
  skip(bed);
}

/** A line to the engine that misbehaves, with the address of its near end. */
export async function openLine(manners?: LineManners) {
  if (typeof bed === 'string') throw new Error(bed);
  const target = parseAddress(bed.address);
  const far = 'socketPath' in target ? { path: target.socketPath } : { host: target.host, port: target.port };
  const line = await openRoughLine(far, manners);
  const address = 'path' in line.near ? `unix://${line.near.path}` : `tcp://${line.near.host}:${line.near.port}`;
  return { ...line, address };
}

export type Fault = (real: Engine) => Partial<Engine>;

/** A provider whose engine misbehaves in one way, and everything that it left behind. */
export async function openWorld({ standing = false }: { readonly standing?: boolean } = {}) {
  if (typeof bed === 'string') throw new Error(bed);
  const { address, image } = bed;
  const home = await mkdtemp(join(tmpdir(), 'errand-docker-'));
  const owner = `owner-${randomUUID()}`;
  const opened: Disposable[] = [];
  const open = (fault: Fault = () => ({}), at = address) => {
    const engines = createEngines(home, (where) => {
      const real = openEngine(where);
      return { ...real, ...fault(real) };
    });
    engines.remember(engines.at(at));
    opened.push(engines);
    return { host: createHost(engines), runner: createRunner(engines) };
  };
  const options = { profile: 'permissive', network: 'none', engine: address };
  const call = (key: string, epoch = 1): SecretCall => ({ ...ask, key, epoch, secret: async () => '' });
  const common = { owner, resources: {}, labels: {}, options, image };
  const engine = openEngine(address);
  const placeKey = `place-${randomUUID()}`;
  const job = `job-${randomUUID()}`;
  return {
    address,
    image,
    engine,
    placeKey,
    job,
    open,
    call,
    acquire: (provider = open(), at = address) =>
      provider.host.acquire(
        { ...common, options: { ...options, engine: at }, expiresAt: Date.now() + 600_000, ...(standing ? { standing } : {}) },
        call(placeKey),
      ),
    spec: (place: Handle<'place'>, script: string, at = address): JobSpec => ({
      ...common,
      options: { ...options, engine: at },
      place,
      command: { script },
      env: {},
      secretEnv: {},
      grace: 1_000,
    }),
    release: () => open().host.release({ key: placeKey }, call(placeKey, 1_000)),
    /** Names of what is on the engine with our owner's label. */
    async left(): Promise<string[]> {
      const mine = { [label.owner]: owner };
      const [volumes, containers] = await Promise.all([engine.volumes(mine, signal), engine.containers(mine, signal)]);
      return [...volumes.map((one) => one.name), ...containers.map((one) => `container ${one.labels[label.key]}`)];
    },
    async [Symbol.asyncDispose]() {
      await open().host.release({ key: placeKey }, call(placeKey, 1_000_000));
      for (const one of opened) one[Symbol.dispose]();
      engine.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** What the script printed, run to its end. */
export async function print(provider: ReturnType<Awaited<ReturnType<typeof openWorld>>['open']>, spec: JobSpec): Promise<string> {
  const key = `job-${randomUUID()}`;
  const handle = await provider.runner.start(spec, { ...ask, key, epoch: 1_000, secret: async () => '' });
  let text = '';
  for await (const chunk of provider.runner.logs({ key, handle }, undefined, ask)) text += Buffer.from(chunk.bytes).toString();
  return text;
}
