import { randomBytes } from 'node:crypto';
import { ErrandError } from '@errand/contract';
import type {
  Ask,
  Attributes,
  Driver,
  FieldChange,
  ResourceOutput,
  ResourceRef,
  ResourceSpec,
  SecretCall,
} from '@errand/contract';
import { engineError } from '../errors.ts';
import { pause } from '../pause.ts';
import type { ResourceEngine } from './client.ts';
import { diffConfig, readConfig } from './config.ts';
import { ensureInstance, nameTaken } from './instance.ts';
import type { Making } from './instance.ts';
import { configIn, idOf, labelsFor, resourceLabel } from './layout.ts';
import type { Identity, Scope } from './layout.ts';
import { containersOf, dataOf, instanceName, look, nextName, numberOf } from './look.ts';
import type { Found } from './look.ts';
import { isReady, tail, waitReady } from './ready.ts';
import { comparable } from './workload.ts';
import type { Workload, WorkloadType } from './workload.ts';

export interface Place {
  /** Opened at the first call that needs it. */
  readonly engine: () => ResourceEngine;
  readonly scope: Scope;
}

export function workloadDriver({ engine: open, scope }: Place, of: WorkloadType): Driver {
  const { type } = of;
  const idFor = (ref: ResourceRef) => ref.providerId ?? idOf(scope, ref.name);

  async function asking<T>(tried: string, work: (engine: ResourceEngine) => Promise<T>): Promise<T> {
    const engine = open();
    try {
      return await work(engine);
    } catch (error) {
      throw engineError(engine.address, tried, error);
    }
  }

  async function read(engine: ResourceEngine, ref: ResourceRef, ask: Ask): Promise<ResourceOutput | undefined> {
    const found = await look(engine, of, idFor(ref), ask.signal);
    return found && outputOf(of, scope, idFor(ref), ref.name, found);
  }

  /** Everything is up when this resolves, and there are no more of it than wanted. */
  async function bringUp(making: Making): Promise<ResourceOutput> {
    const { engine, identity, workload, call } = making;
    await needNetwork(engine, identity, workload, call);
    const names = Array.from({ length: workload.instances }, (_, index) => instanceName(identity.id, index + 1));
    for (const name of names) await ensureInstance(making, name);
    await waitReady(engine, `${type} ${identity.name}`, names, call);
    const extra = (await containersOf(engine, type, identity.id, call.signal)).filter((one) => !names.includes(one.name));
    for (const one of extra) await remove(engine, one.id, workload.grace, call);
    const output = await read(engine, { name: identity.name, type, providerId: identity.id }, call);
    if (output) return output;
    throw new ErrandError('provider/failed', `made ${type} ${identity.name}, and it was gone at once`);
  }

  async function create(engine: ResourceEngine, spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput> {
    readConfig(of.schema, spec);
    const identity: Identity = { id: idOf(scope, spec.name), type, name: spec.name, key: call.key };
    const password = await claim(engine, identity, spec.config, call);
    const workload = withData(of, identity.id, of.workload(spec, password));
    return bringUp({ engine, scope, identity, workload, config: spec.config, call });
  }

  /** Gives the password that goes with it: of two who make one up, the one who came first is right. */
  async function claim(engine: ResourceEngine, identity: Identity, config: Attributes, call: SecretCall): Promise<string> {
    if (of.data === undefined) {
      const there = await containersOf(engine, type, identity.id, call.signal);
      const stranger = there.find((one) => one.labels[resourceLabel.key] !== identity.key);
      if (stranger) throw nameTaken(identity, `the container ${stranger.name}`);
      return '';
    }
    const more = { [resourceLabel.password]: randomBytes(24).toString('base64url') };
    const labels = labelsFor(identity, comparable(config), more);
    const volume = await engine.createVolume(dataOf(identity.id), labels, call.signal);
    if (volume.labels[resourceLabel.key] !== identity.key || volume.labels[resourceLabel.id] !== identity.id) {
      throw nameTaken(identity, `the volume ${volume.name}`);
    }
    return volume.labels[resourceLabel.password] ?? '';
  }

  async function update(engine: ResourceEngine, ref: ResourceRef, spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput> {
    readConfig(of.schema, spec);
    const id = idFor(ref);
    const found = await look(engine, of, id, call.signal);
    if (!found) throw new ErrandError('provider/not-found', `tried to update ${type} ${ref.name}: ${id} is gone`);
    const identity: Identity = { id, type, name: spec.name, key: found.labels[resourceLabel.key] ?? '' };
    const workload = withData(of, id, of.workload(spec, found.labels[resourceLabel.password] ?? ''));
    return bringUp({ engine, scope, identity, workload, config: spec.config, call });
  }

  async function destroy(engine: ResourceEngine, ref: ResourceRef, call: SecretCall): Promise<void> {
    const id = idFor(ref);
    const there = await containersOf(engine, type, id, call.signal);
    await Promise.all(there.map((one) => remove(engine, one.id, graceIn(configIn(one.labels)), call)));
    if (of.data === undefined) return;
    const volume = await engine.volume(dataOf(id), call.signal);
    if (volume?.labels[resourceLabel.id] !== id) return;
    while ((await engine.removeVolume(volume.name, call.signal)) === 'busy') await pause(100, call.signal);
  }

  return {
    // The engine knows things by their names.
    oneName: true,
    configKeys: Object.keys(of.schema.shape),
    sensitiveKeys: ['applied', ...of.sensitive],
    read: (ref, ask) => asking(`tried to look at ${type} ${ref.name}`, (engine) => read(engine, ref, ask)),
    diff: async ({ config }, { outputs }) => {
      const wanted = config['instance_count'] ?? 1;
      const running = outputs['running'] ?? 0;
      const path = 'instance_count' in of.schema.shape ? 'instance_count' : 'running';
      const change: FieldChange[] = running === wanted ? [] : [{ path, old: running, new: wanted, forceNew: false }];
      return diffConfig(comparable(config), (outputs['applied'] ?? {}) as Attributes, of.rules, change);
    },
    create: (spec, call) => asking(`tried to make ${type} ${spec.name}`, (engine) => create(engine, spec, call)),
    update: (ref, spec, call) => asking(`tried to change ${type} ${ref.name}`, (engine) => update(engine, ref, spec, call)),
    delete: (ref, call) => asking(`tried to delete ${type} ${ref.name}`, (engine) => destroy(engine, ref, call)),
    health: (ref, ask) =>
      asking(`tried to look at ${type} ${ref.name}`, async (engine) => {
        const found = await look(engine, of, idFor(ref), ask.signal);
        const ill = found?.containers.filter((one) => !isReady(one)) ?? [];
        const healthy = found !== undefined && found.containers.length > 0 && ill.length === 0;
        const states = ill.map((one) => `${one.name} is ${one.status}, ${one.health}`).join('; ');
        return { healthy, message: healthy ? 'all is well' : states || 'it is gone' };
      }),
    troubleshoot: (ref, _failure, ask) =>
      asking(`tried to look at ${type} ${ref.name}`, async (engine) => {
        const there = await containersOf(engine, type, idFor(ref), ask.signal);
        return Promise.all(
          there.map(async (one) => {
            const cause = one.error || one.healthSaid || `exit ${one.exitCode}`;
            return { id: one.name, phase: one.status, cause, detail: await tail(engine, one.id, ask) };
          }),
        );
      }),
    ...('instance_count' in of.schema.shape
      ? {
          scale: (ref: ResourceRef, replicas: number, call: SecretCall) =>
            asking(`tried to scale ${type} ${ref.name}`, async (engine) => {
              const found = await look(engine, of, idFor(ref), call.signal);
              const config = { ...configIn(found?.labels ?? {}), instance_count: replicas };
              return update(engine, ref, { name: ref.name, type, config, dependsOn: [] }, call);
            }),
        }
      : {}),
  };
}

function withData(of: WorkloadType, id: string, workload: Workload): Workload {
  if (of.data === undefined) return workload;
  return { ...workload, mounts: [...workload.mounts, { volume: dataOf(id), target: of.data, readOnly: false }] };
}

async function needNetwork(engine: ResourceEngine, identity: Identity, { network }: Workload, ask: Ask): Promise<void> {
  if (network === undefined || (await engine.hasNetwork(network, ask.signal))) return;
  throw new ErrandError('provider/refused', `tried to make ${identity.type} ${identity.name}: there is no network ${network}`, {
    next: 'Let `vpc_ref` refer to an infra.vpc, such as "${net.id}", or name a network of the engine.',
  });
}

async function remove(engine: ResourceEngine, id: string, grace: number, ask: Ask): Promise<void> {
  await engine.stop(id, grace, ask.signal);
  // `busy`: somebody else is removing it; it is gone in a moment.
  while ((await engine.removeContainer(id, true, ask.signal)) === 'busy') await pause(50, ask.signal);
}

export const defaultGrace = 10;

function graceIn(config: Attributes): number {
  const { grace_period_seconds: grace } = (config['termination'] ?? {}) as Attributes;
  return typeof grace === 'number' ? grace : defaultGrace;
}

function outputOf(of: WorkloadType, scope: Scope, id: string, name: string, found: Found): ResourceOutput {
  const standing = found.containers.filter((one) => one.name !== nextName(instanceName(id, numberOf(id, one.name))));
  const first = standing[0] ?? found.containers[0];
  const config = configIn(first?.labels ?? found.labels);
  const inside = typeof config['vpc_ref'] === 'string';
  const published = (port: number) => first?.ports.find((one) => one.container === port)?.host;
  const running = standing.filter((one) => one.status === 'running').length;
  const outputs = of.outputs({
    id,
    config,
    password: found.labels[resourceLabel.password] ?? '',
    host: inside ? name : scope.publishOn,
    portOf: (port) => (inside ? port : (published(port) ?? port)),
    external: (port) => {
      const at = published(port);
      return at === undefined ? undefined : { host: scope.publishOn, port: at };
    },
  });
  return {
    name,
    type: of.type,
    providerId: id,
    outputs: { id, running, ...outputs, applied: config },
    sensitive: ['applied', ...of.sensitive],
    status: running === standing.length && running > 0 ? 'running' : (first?.status ?? 'stopped'),
  };
}
