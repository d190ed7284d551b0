// One container of a workload: made once under its name, and changed by another one that takes its place. The order is
// such that a crash leaves at least one of the two, and the next call goes on from whatever is there.
import { createServer } from 'node:net';
import { ErrandError } from '@errand/contract';
import type { SecretCall } from '@errand/contract';
import { EngineFailure } from '../client.ts';
import { trying } from '../errors.ts';
import { ensureImage } from '../image.ts';
import type { Published, ResourceEngine, ServiceContainer, ServiceRequest } from './client.ts';
import { labelsFor, resourceLabel } from './layout.ts';
import type { Identity, Scope } from './layout.ts';
import { nextName } from './look.ts';
import { specOf, comparable } from './workload.ts';
import type { Workload } from './workload.ts';
import type { Attributes } from '@errand/contract';

export interface Making {
  readonly engine: ResourceEngine;
  readonly scope: Scope;
  readonly identity: Identity;
  readonly workload: Workload;
  readonly config: Attributes;
  readonly call: SecretCall;
}

/** It runs when this resolves; whether it is well is another question. */
export async function ensureInstance(making: Making, name: string): Promise<void> {
  const { engine, call, identity, workload, config } = making;
  const spec = specOf(workload, config, await valuesOf(workload.env, call));
  for (let picks = 0; ; picks++) {
    const there = await engine.service(name, call.signal);
    if (there) refuseStrangers(identity, there);
    const right = there?.labels[resourceLabel.spec] === spec ? there : await takePlace(making, name, there, spec);
    try {
      await engine.startContainer(right.id, call.signal);
      return;
    } catch (error) {
      // A port that was free a moment ago may be taken now; then another one is picked.
      const picked = right.ports.some(
        (port) => !workload.ports.some((one) => one.container === port.container && one.host !== undefined),
      );
      if (!(error instanceof EngineFailure && (error.status ?? 0) >= 500 && picked && picks < 2)) throw error;
      await engine.removeContainer(right.id, true, call.signal);
    }
  }
}

async function takePlace(
  making: Making,
  name: string,
  old: ServiceContainer | undefined,
  spec: string,
): Promise<ServiceContainer> {
  const { engine, call, workload } = making;
  if (!old) {
    // Somebody died after the old one had gone.
    const waiting = await engine.service(nextName(name), call.signal);
    if (waiting?.labels[resourceLabel.spec] === spec) {
      await engine.rename(waiting.id, name, call.signal);
      return waiting;
    }
    return makeContainer(making, name, [], spec);
  }
  const left = await engine.service(nextName(name), call.signal);
  if (left && left.labels[resourceLabel.spec] !== spec) await engine.removeContainer(left.id, true, call.signal);
  const next = await makeContainer(making, nextName(name), old.ports, spec);
  await engine.stop(old.id, workload.grace, call.signal);
  await engine.removeContainer(old.id, true, call.signal);
  await engine.rename(next.id, name, call.signal);
  return next;
}

async function makeContainer(
  making: Making,
  name: string,
  before: readonly Published[],
  spec: string,
): Promise<ServiceContainer> {
  const { engine, call, identity, workload } = making;
  const request = await requestFor(making, before, spec);
  for (;;) {
    const made = await trying(engine, `tried to create the container ${name}`, () =>
      engine.createService(name, request, call.signal),
    );
    if (made === 'no-image') {
      await ensureImage(engine, workload.image, call);
      continue;
    }
    const there = await engine.service(name, call.signal);
    if (!there) continue;
    refuseStrangers(identity, there);
    return there;
  }
}

async function requestFor(
  { engine, scope, identity, workload, config, call }: Making,
  before: readonly Published[],
  spec: string,
): Promise<ServiceRequest> {
  const { instances: _, grace: __, env, ports, cpus, ...rest } = workload;
  const info = await engine.info(call.signal);
  const local = engine.address.startsWith('unix://');
  const published = ports.map(async (port) => {
    const host = port.host ?? before.find((one) => one.container === port.container)?.host;
    const free = host ?? (local ? await freePort(scope.publishOn) : undefined);
    return { ...port, ...(free === undefined ? {} : { host: free }) };
  });
  return {
    ...rest,
    env: await valuesOf(env, call),
    ports: await Promise.all(published),
    init: info.hasInit,
    publishOn: scope.publishOn,
    aliases: [identity.name, identity.id],
    labels: labelsFor(identity, comparable(config), { [resourceLabel.spec]: spec }),
    // More than there are is no limit, and an engine refuses it.
    ...(cpus === undefined || !info.limitsCpu ? {} : { cpus: Math.min(cpus, info.cpus) }),
  };
}

/** With the plaintext of what is a secret. */
function valuesOf(env: Workload['env'], call: SecretCall): Promise<string[]> {
  const values = Object.entries(env).map(async ([name, value]) =>
    value.startsWith('secret://') ? `${name}=${await call.secret(value)}` : `${name}=${value}`,
  );
  return Promise.all(values);
}

/** Ports that the engine chooses change whenever a container is started; a place that was told must stay. */
function freePort(host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

/** What has the name and was not made by this key. */
function refuseStrangers(identity: Identity, { name, labels }: Pick<ServiceContainer, 'name' | 'labels'>): void {
  if (labels[resourceLabel.id] === identity.id && labels[resourceLabel.key] === identity.key) return;
  throw nameTaken(identity, `the container ${name}`);
}

export function nameTaken({ type, name }: Identity, what: string): ErrandError {
  return new ErrandError(
    'provider/conflict',
    `tried to make ${type} ${name}: ${what} is there already, and this did not make it`,
    {
      next: 'Remove or import it, or set another `prefix` in the options of the docker provider.',
    },
  );
}
