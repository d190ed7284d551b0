import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ErrandError } from '@errand/contract';
import type {
  Attributes,
  Driver,
  FieldChange,
  Json,
  ResourceDiff,
  ResourceOutput,
  ResourceRef,
  ResourceSpec,
  SecretCall,
} from '@errand/contract';
import type { Line } from './faults.ts';
import type { Shelf, Thing } from './shelf.ts';
import { digest, forceNewKeys, secretKeys } from './types.ts';
import type { Traits } from './types.ts';

export interface Platform {
  readonly shelf: Shelf;
  readonly line: Line;
  /** Drivers answer many questions at once, too. */
  readonly batches: boolean;
}

export function fakeDriver({ shelf, line, batches }: Platform, type: string, traits: Traits): Driver {
  const output = (thing: Thing) => outputOf(thing, traits);
  const read = (ref: ResourceRef) => {
    const thing = findThing(shelf, ref);
    return thing === undefined ? undefined : output(thing);
  };
  const diff = (desired: ResourceSpec, current: ResourceOutput) => diffOf(desired.config, current, traits);

  function create(spec: ResourceSpec, call: SecretCall, secrets: Thing['secrets'], ready: boolean): ResourceOutput {
    refuseComputed(spec, traits);
    const id = `${traits.prefix}-${digest(call.key, 16)}`;
    const made: Thing = {
      id,
      type,
      name: spec.name,
      key: call.key,
      epoch: call.epoch,
      config: spec.config,
      secrets,
      owner: '',
      ready,
      version: 1,
    };
    if (shelf.add(made, traits.namesRepeat === true)) return output(made);
    const there = shelf.byId(id) ?? shelf.find(type, spec.name);
    if (there?.key !== call.key) throw taken(spec, there);
    if (call.epoch < there.epoch) {
      throw new ErrandError(
        'provider/fenced',
        `refused a call of holder ${call.epoch} for ${spec.name}: holder ${there.epoch} has it`,
      );
    }
    const adopted = { ...there, ready: ready || there.ready, epoch: call.epoch };
    shelf.save(adopted);
    return output(adopted);
  }

  function update(ref: ResourceRef, spec: ResourceSpec, secrets: Thing['secrets']): ResourceOutput {
    refuseComputed(spec, traits);
    const there = findThing(shelf, ref);
    if (!there) throw gone(ref, 'update');
    if (!isDeepStrictEqual(there.config, spec.config)) {
      shelf.save({ ...there, config: spec.config, secrets, version: there.version + 1 });
    }
    return output({ ...there, config: spec.config });
  }

  function remove(ref: ResourceRef): void {
    const there = findThing(shelf, ref);
    if (there) shelf.remove(there);
  }

  const about = (spec: ResourceSpec) => ({ type, name: spec.name, config: spec.config });
  const slowly = async (spec: ResourceSpec, call: SecretCall) => {
    const ms = spec.config['ms'];
    if (type !== 'fake.slow' || typeof ms !== 'number') return;
    await sleep(ms, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted());
  };

  return {
    ...(traits.sensitive === undefined ? {} : { sensitiveKeys: traits.sensitive }),
    ...(traits.upserts === undefined ? {} : { upserts: traits.upserts }),
    ...(traits.namesRepeat || traits.ownReplace ? {} : { oneName: true }),
    read: (ref, ask) => line.deliver('read', { ...ref }, ask, () => read(ref)),
    diff: (desired, current, ask) =>
      line.deliver('diff', { ...about(desired), providerId: current.providerId, args: current }, ask, () =>
        diff(desired, current),
      ),
    create: async (spec, call) => {
      const secrets = await askForSecrets(spec.config, call);
      await slowly(spec, call);
      return line.deliver('create', about(spec), call, (half) => create(spec, call, secrets, !half));
    },
    update: async (ref, spec, call) => {
      const secrets = await askForSecrets(spec.config, call);
      return line.deliver('update', { ...about(spec), ...ref }, call, () => update(ref, spec, secrets));
    },
    delete: (ref, call) => line.deliver('delete', { ...ref }, call, () => remove(ref)),
    adopt: (spec) => ({ name: spec.name, type }),
    health: (ref, ask) =>
      line.deliver('health', { ...ref }, ask, () => {
        const thing = findThing(shelf, ref);
        const healthy = thing?.ready === true && thing.config['unhealthy'] !== true;
        return { healthy, message: healthy ? 'all is well' : thing ? 'it is not well' : 'it is gone' };
      }),
    troubleshoot: (ref, failure, ask) =>
      line.deliver('troubleshoot', { ...ref, args: failure }, ask, () => [
        { id: ref.providerId ?? ref.name, phase: 'start', cause: 'unhealthy', at: 1_700_000_000_000, detail: `seen: ${failure}` },
      ]),
    ...(traits.scales
      ? {
          scale: (ref, replicas, call) =>
            line.deliver('scale', { ...ref, args: replicas }, call, () => {
              const there = findThing(shelf, ref);
              if (!there) throw gone(ref, 'scale');
              return update(ref, { name: there.name, type, config: { ...there.config, replicas }, dependsOn: [] }, there.secrets);
            }),
        }
      : {}),
    ...(traits.ownReplace
      ? {
          replace: async (ref, spec, call) => {
            const secrets = await askForSecrets(spec.config, call);
            return line.deliver('replace', { ...about(spec), ...ref }, call, () => {
              if (findThing(shelf, ref)?.key !== call.key) remove(ref);
              return create(spec, call, secrets, true);
            });
          },
        }
      : {}),
    ...(batches
      ? {
          readMany: (refs, ask) => line.deliver('readMany', { type, args: refs }, ask, () => refs.map(read)),
          diffMany: (pairs, ask) =>
            line.deliver('diffMany', { type, args: pairs }, ask, () =>
              pairs.map(({ desired, current }) => diff(desired, current)),
            ),
        }
      : {}),
  };
}

export function findThing(shelf: Shelf, { type, name, providerId }: ResourceRef): Thing | undefined {
  const thing = providerId === undefined ? shelf.find(type, name) : shelf.byId(providerId);
  return thing?.type === type ? thing : undefined;
}

export function outputOf(thing: Thing, traits: Traits): ResourceOutput {
  return {
    name: thing.name,
    type: thing.type,
    providerId: thing.id,
    outputs: { ...thing.config, id: thing.id, ...traits.computed(thing) },
    sensitive: [...(traits.sensitive ?? []), ...secretKeys.filter((key) => key in thing.config)],
    status: thing.ready ? 'running' : 'creating',
  };
}

/** Old values of what is sensitive are not told. */
export function diffOf(config: Attributes, current: ResourceOutput, traits: Traits): ResourceDiff {
  const changes: FieldChange[] = [];
  const note = (path: string, old: Json | undefined, wanted: Json | undefined) => {
    if (isDeepStrictEqual(old, wanted)) return;
    changes.push({
      path,
      ...(old === undefined || current.sensitive.includes(path) ? {} : { old }),
      ...(wanted === undefined ? {} : { new: wanted }),
      forceNew: forceNewKeys.includes(path),
    });
  };
  for (const path in config) note(path, current.outputs[path], config[path]);
  for (const path in current.outputs) {
    if (path !== 'id' && !(path in config) && !traits.makes.includes(path)) note(path, current.outputs[path], undefined);
  }
  const needsReplace = changes.some((change) => change.forceNew);
  return { needsUpdate: changes.length > 0 && !needsReplace, needsReplace, changes };
}

function refuseComputed(spec: ResourceSpec, traits: Traits): void {
  const wrong = ['id', ...traits.makes].filter((key) => key in spec.config);
  if (wrong.length === 0) return;
  throw new ErrandError('provider/refused', `${spec.type} makes up ${wrong.join(', ')} by itself`, {
    next: `Remove ${wrong.join(', ')} from the config of ${spec.name}.`,
  });
}

async function askForSecrets(
  config: Json,
  call: SecretCall,
  found: Record<string, string> = {},
): Promise<Record<string, string>> {
  if (typeof config === 'string') {
    if (config.startsWith('secret://')) found[config] = digest(await call.secret(config), 64);
  } else if (typeof config === 'object' && config !== null) {
    for (const value of Object.values(config)) await askForSecrets(value, call, found);
  }
  return found;
}

function taken(spec: ResourceSpec, there: Thing | undefined): ErrandError {
  return new ErrandError(
    'provider/conflict',
    `tried to create ${spec.type} ${spec.name}: ${there?.id ?? 'another one'} has that name`,
    {
      next: 'Import it, adopt it, or choose another name.',
    },
  );
}

function gone(ref: ResourceRef, tried: string): ErrandError {
  return new ErrandError('provider/not-found', `tried to ${tried} ${ref.type} ${ref.name}: it is gone`);
}
