// From verdicts to actions with their steps, not yet in order.
import type { ResourceOutput } from '@errand/contract';
import type { Action, PlannedResource, Step } from '../../model/infra/plan.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import type { DeclaredResource } from '../../model/infra/stack.ts';
import type { Decided } from './decide.ts';
import type { OpenProviders } from './providers.ts';
import { sealOutputs } from './refresh.ts';
import type { PlanInput } from './types.ts';
import type { Views } from './views.ts';

export type StepDraft = Omit<Step, 'after'>;

export interface Draft {
  readonly action: Omit<Action, 'steps'>;
  /** Before `make`, and nothing else waits for it. */
  readonly look?: StepDraft;
  /** After it the resource is as wanted. */
  readonly make?: StepDraft;
  /** Of what stands under this name now; with both, it comes first. */
  readonly remove?: StepDraft;
  /** Of earlier selves, the present one included when its successor is made first. */
  readonly deposed: readonly StepDraft[];
}

export interface DraftParts {
  readonly providers: OpenProviders;
  readonly views: Views;
  /** Effective: by its own wish or by that of something that depends on it. */
  readonly createsFirst: (name: string) => boolean;
}

/** Undefined when nothing is to be done. */
export function draftWanted(input: PlanInput, parts: DraftParts, { candidate, verdict }: Decided): Draft | undefined {
  const { resource, seen } = candidate;
  const { name, type, provider } = resource;
  const record = seen?.record;
  const older = (record?.deposed ?? []).map(({ key }) => deposedStep(name, key));
  if (verdict.kind === 'none') {
    if (older.length === 0 || !record) return undefined;
    return { action: { ...removal(record, [left(older.length)]), type, provider }, deposed: older };
  }
  const desired = plannedOf(parts, resource, candidate);
  const base = { resource: name, type, provider, because: verdict.because, desired };
  if (verdict.kind === 'create') {
    return { action: { ...base, kind: 'create', changes: [] }, make: { id: `create ${name}`, do: 'create' }, deposed: older };
  }
  const { changes } = verdict;
  if (verdict.kind === 'adopt') {
    const current = adoptedRecord(input, resource, verdict.found);
    const look: StepDraft = { id: `read ${name}`, do: 'read' };
    if (changes.length === 0) return { action: { ...base, kind: 'read', current, changes }, make: look, deposed: older };
    const make: StepDraft = { id: `update ${name}`, do: 'update' };
    return { action: { ...base, kind: 'update', current, changes }, look, make, deposed: older };
  }
  const current = record as ResourceRecord;
  if (verdict.kind === 'update') {
    return {
      action: { ...base, kind: 'update', current, changes },
      make: { id: `update ${name}`, do: 'update' },
      deposed: older,
    };
  }
  const action = { ...base, kind: 'replace', current, changes } as const;
  // A deposed self is deleted by the driver of its successor, so it must be of the same kind.
  const moves = current.type !== type || current.provider !== provider;
  const create: StepDraft = { id: `create ${name}`, do: 'create' };
  if (desired.createBeforeDestroy && !moves) {
    const key = freshKey(input.state.serial, current);
    return { action, make: create, deposed: [...older, deposedStep(name, key)] };
  }
  const ownWay = !moves && !current.tainted && parts.providers.driver(provider, type)?.replace !== undefined;
  if (ownWay) return { action, make: { id: `replace ${name}`, do: 'replace' }, deposed: older };
  return { action, make: create, remove: { id: `delete ${name}`, do: 'delete' }, deposed: older };
}

/** Of what is recorded and no longer wanted. */
export function draftRemoval(record: ResourceRecord, ghost: boolean, because: string): Draft {
  const deposed = record.deposed.map(({ key }) => deposedStep(record.name, key));
  if (ghost && deposed.length === 0) {
    const forget: StepDraft = { id: `forget ${record.name}`, do: 'forget' };
    return { action: { ...removal(record, [because, 'it is gone already']), kind: 'forget' }, remove: forget, deposed };
  }
  return { action: removal(record, [because]), remove: { id: `delete ${record.name}`, do: 'delete' }, deposed };
}

function removal(record: ResourceRecord, because: readonly string[]) {
  const { name: resource, type, provider } = record;
  return { kind: 'delete', resource, type, provider, because, current: record, changes: [] } as const;
}

function left(count: number): string {
  return count === 1 ? 'an earlier replacement left its old self standing' : 'earlier replacements left old selves standing';
}

function deposedStep(name: string, key: string): StepDraft {
  return { id: `delete ${name} (deposed ${key})`, do: 'delete', deposed: key };
}

/** The serial grows with every change of the state, so a key is taken only where something was put in by hand. */
function freshKey(serial: number, record: ResourceRecord): string {
  const taken = new Set(record.deposed.map((one) => one.key));
  let key = `k${serial}`;
  while (taken.has(key)) key += 'x';
  return key;
}

function plannedOf(parts: DraftParts, resource: DeclaredResource, candidate: Decided['candidate']): PlannedResource {
  const { size, hints } = resource;
  return {
    config: parts.views.settle(candidate.template),
    unknown: candidate.resolved.unknown,
    sensitive: candidate.resolved.sensitive,
    ...(size === undefined ? {} : { size }),
    ...(hints === undefined ? {} : { hints }),
    dependsOn: resource.dependsOn,
    protected: isProtected(resource),
    createBeforeDestroy: parts.createsFirst(resource.name),
    adopt: resource.adopt,
  };
}

export function isProtected(resource: DeclaredResource): boolean {
  return resource.protected || resource.lifecycle.preventDestroy;
}

function adoptedRecord(input: PlanInput, resource: DeclaredResource, found: ResourceOutput): ResourceRecord {
  const sensitive = [...found.sensitive];
  return {
    name: resource.name,
    type: resource.type,
    provider: resource.provider,
    use: input.stack.providers.get(resource.provider)?.use ?? resource.provider,
    providerId: found.providerId,
    config: {},
    configHash: '',
    source: 'adoption',
    outputs: sealOutputs(input.vault, found.outputs, sensitive),
    sensitive,
    status: found.status,
    dependencies: resource.dependsOn,
    protected: isProtected(resource),
    createBeforeDestroy: resource.lifecycle.createBeforeDestroy,
    createdAt: input.now,
    updatedAt: input.now,
    deposed: [],
    tainted: false,
  };
}
