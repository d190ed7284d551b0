import type {
  Ask,
  CredentialRevoker,
  Drift,
  DriftDetector,
  Enumerator,
  Finalizer,
  Infra,
  LogCapture,
  Ownership,
  ResourceRef,
  ResourceState,
  Validator,
} from '@errand/contract';
import { ErrandError } from '@errand/contract';
import { setTimeout as sleep } from 'node:timers/promises';
import { diffOf, findThing, outputOf } from './driver.ts';
import type { Platform } from './driver.ts';
import type { FakeMethod, Subject } from './faults.ts';
import type { Thing } from './shelf.ts';
import { digest, fakeTypes } from './types.ts';
import type { Traits } from './types.ts';

/** What the services have been told, for tests to look at. */
export interface Told {
  readonly finalized: string[];
  readonly revoked: string[];
  /** What the next `finalize` answers. */
  failures: Awaited<ReturnType<Finalizer['finalize']>>;
}

type Services = Pick<
  Infra,
  | 'enumerator'
  | 'driftDetector'
  | 'ownership'
  | 'finalizer'
  | 'validator'
  | 'logCapture'
  | 'credentialRevoker'
  | 'import'
  | 'status'
>;

export function fakeServices(platform: Platform, told: Told): Required<Services> {
  const { shelf, line } = platform;
  const traitsOf = (type: string): Traits => fakeTypes[type] ?? { prefix: 'x', makes: [], computed: () => ({}) };
  const output = (thing: Thing) => outputOf(thing, traitsOf(thing.type));
  const refOf = ({ name, type, id }: Thing): ResourceRef => ({ name, type, providerId: id });

  /** The list is made at the first item, as a page of a real one would be. */
  async function* each<T>(method: FakeMethod, subject: Subject, ask: Ask, list: () => readonly T[]): AsyncGenerator<T> {
    for (const item of await line.deliver(method, subject, ask, list)) {
      ask.signal.throwIfAborted();
      yield item;
    }
  }

  const enumerator: Enumerator = {
    all: (type, ask) =>
      each('enumerate', { type }, ask, () => {
        if (!(type in fakeTypes)) throw new ErrandError('environment/unsupported', `the fake platform has no list of ${type}`);
        return shelf
          .all()
          .filter((thing) => thing.type === type)
          .map(output);
      }),
    byTag: (tag, ask) =>
      each('byTag', { args: tag }, ask, () =>
        shelf
          .all()
          .filter(({ config }) => Array.isArray(config['tags']) && config['tags'].includes(tag))
          .map(refOf),
      ),
  };

  const driftDetector: DriftDetector = {
    detect: (refs, specs, ask) =>
      line.deliver('detect', { args: { refs, specs: Object.fromEntries(specs) } }, ask, () =>
        refs.map((ref): Drift => {
          const thing = findThing(shelf, ref);
          const spec = specs.get(ref.name);
          const base = { name: ref.name, type: ref.type };
          if (!thing) return { ...base, drifted: true, class: 'ghost', fields: [] };
          if (!spec) return { ...base, drifted: false, class: 'in-sync', fields: [] };
          const { changes } = diffOf(spec.config, output(thing), traitsOf(thing.type));
          const drifted = changes.length > 0;
          const fields = changes.map((change) => change.path);
          return { ...base, drifted, class: drifted ? 'config' : 'in-sync', expected: spec.config, actual: thing.config, fields };
        }),
      ),
  };

  const ownership: Ownership = {
    get: (ref, ask) =>
      line.deliver('getOwner', { ...ref }, ask, () => ({ owner: findThing(shelf, ref)?.owner ?? '', source: 'tag:owner' })),
    set: (ref, owner, call) =>
      line.deliver('setOwner', { ...ref, args: owner }, call, () => {
        const thing = findThing(shelf, ref);
        if (!thing) throw new ErrandError('provider/not-found', `tried to give ${ref.name} to ${owner}: it is gone`);
        shelf.save({ ...thing, owner });
      }),
    list: (owner, type, ask) =>
      line.deliver('listOwners', { args: { owner, type } }, ask, () =>
        shelf
          .all()
          .filter((thing) => thing.owner === owner && (type === undefined || thing.type === type))
          .map((thing) => ({ owner, source: 'tag:owner', ref: refOf(thing) })),
      ),
  };

  const finalizer: Finalizer = {
    finalize: (planId, call) =>
      line.deliver('finalize', { args: planId }, call, () => {
        told.finalized.push(planId);
        return told.failures;
      }),
  };

  /** A `vpc_ref` must be something that the plan makes or knows, a reference, or an id of a network. */
  const validator: Validator = {
    validate: (plan, ask) =>
      line.deliver('validate', { args: plan }, ask, () => {
        const known = new Set(
          plan.actions.flatMap(({ resource, current }) => [resource.name, current?.providerId ?? resource.name]),
        );
        return plan.actions.flatMap(({ resource }) => {
          const wanted = resource.config['vpc_ref'];
          if (typeof wanted !== 'string' || known.has(wanted) || wanted.includes('${') || wanted.startsWith('vpc-')) return [];
          const message = `there is no network ${JSON.stringify(wanted)}`;
          return [{ severity: 'error' as const, resource: resource.name, field: 'vpc_ref', message }];
        });
      }),
  };

  /** Three lines, then one more every 10 ms for as long as somebody follows. */
  const logCapture: LogCapture = {
    async *capture(request, ask) {
      const lines = ['one', 'two', 'three'].slice(-(request.tailLines ?? 3));
      const said = (text: string) => ({ bytes: Buffer.from(`${request.type}: ${text}\n`), source: request.component ?? 'main' });
      yield* each('capture', { ...request.resource, args: request }, ask, () => lines.map(said));
      const end = performance.now() + (request.duration ?? Infinity);
      while (request.follow && performance.now() < end) {
        await sleep(10, undefined, { signal: ask.signal }).catch(() => ask.signal.throwIfAborted());
        yield said('more');
      }
    },
  };

  const credentialRevoker: CredentialRevoker = {
    revoke: (source, credentialId, call) =>
      line.deliver('revoke', { args: { source, credentialId } }, call, () => void told.revoked.push(credentialId)),
  };

  return {
    enumerator,
    driftDetector,
    ownership,
    finalizer,
    validator,
    logCapture,
    credentialRevoker,
    import: (type, providerId, ask) =>
      line.deliver('import', { type, providerId }, ask, (): ResourceState | undefined => {
        const thing = findThing(shelf, { type, name: '', providerId });
        if (!thing) return undefined;
        return {
          id: thing.id,
          name: thing.name,
          type,
          provider: 'fake',
          providerRef: '',
          providerId,
          configHash: digest(JSON.stringify(thing.config), 64),
          appliedConfig: thing.config,
          appliedConfigSource: 'import',
          outputs: output(thing).outputs,
          dependencies: [],
        };
      }),
    status: (refs, ask) =>
      line.deliver('status', { args: refs }, ask, () =>
        refs.map((ref) => {
          const thing = findThing(shelf, ref);
          const seen = thing ? output(thing) : undefined;
          return {
            name: ref.name,
            type: ref.type,
            providerId: thing?.id ?? ref.providerId ?? '',
            status: seen?.status ?? 'gone',
            outputs: seen?.outputs ?? {},
          };
        }),
      ),
  };
}
