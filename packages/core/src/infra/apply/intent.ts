// What a step is going to do, decided before anything outside is touched: everything that the journal must know.
import { ErrandError } from '@errand/contract';
import type { Attributes, Json, ResourceSpec } from '@errand/contract';
import { digestOf } from '../../base/canonical.ts';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { Action, PlannedResource, Step } from '../../model/infra/plan.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { configHash } from '../hash/hash.ts';
import { lookUpOutput } from '../references/outputs.ts';
import { resolveConfig } from '../references/resolve.ts';
import { secretVersions } from '../references/secrets.ts';
import { valueAt } from '../references/walk.ts';
import { fingerprinted, sealPaths } from '../state/sealed-record.ts';
import type { ApplyContext } from './context.ts';

export interface Intent {
  readonly entry: JournalEntry;
  /** As the driver gets it, in clear; absent for deletes. */
  readonly spec?: ResourceSpec;
  /** Values in the spec that must not be shown or rest in clear. */
  readonly confidential: readonly string[];
}

/** Deterministic for a plan: the same step of the same plan has the same key, whoever carries it out. */
export function keyOf(context: Pick<ApplyContext, 'lineage' | 'serial'>, resource: string, step: string): string {
  return digestOf([context.lineage, context.serial, resource, step]).slice(0, 40);
}

export function intentOf(context: ApplyContext, action: Action, step: Step): Intent {
  const { ports, stack, apply, epoch, live } = context;
  const current = live.get(action.resource);
  const earlier = context.open.get(action.resource);
  if (earlier?.do === 'create' && step.do === 'create') requireSameKind(earlier, action);
  // What goes may be of another type or provider than what comes in its place.
  const of = step.do === 'delete' && current ? current : action;
  const about = {
    id: ports.random.id(),
    stack,
    apply,
    epoch,
    resource: action.resource,
    type: of.type,
    provider: of.provider,
    use: context.useOf(of.provider),
    do: step.do,
    // What an earlier command left open had its effect, or half of it, under the key that it had. Updates and deletions
    // find what they are about by its id, and this one may be about something else.
    key: isSameMaking(earlier, action, step) ? earlier.key : keyOf(context, action.resource, step.id),
    openedAt: ports.clock.now(),
  };
  if (step.do === 'delete' || step.do === 'forget') {
    const old = step.deposed === undefined ? current : current?.deposed.find(({ key }) => key === step.deposed);
    const target = {
      ...(old?.providerId && { providerId: old.providerId }),
      ...(step.deposed !== undefined && { deposed: step.deposed }),
    };
    return { entry: { ...about, ...target }, confidential: [] };
  }
  if (!action.desired) throw new ErrandError('internal/bug', `the plan says nothing about what ${action.resource} is to be`);
  const resolved = resolvePlanned(context, action.resource, action.desired);
  // What is only taken over for now has not got this config yet; the update that comes next gives it.
  const given = step.do === 'read' && action.kind !== 'read' ? { ...resolved, config: {}, sensitive: [] } : resolved;
  const intended = intendedRecord(context, action, given, replacedBy(action, step, current));
  const target = step.do === 'create' || !current ? {} : { providerId: current.providerId };
  return {
    entry: { ...about, ...target, intended },
    spec: specOf(action, action.desired, resolved.config),
    confidential: resolved.confidential,
  };
}

function isSameMaking(earlier: JournalEntry | undefined, { type, provider }: Action, step: Step): earlier is JournalEntry {
  if (!earlier || earlier.do !== step.do || earlier.type !== type || earlier.provider !== provider) return false;
  return step.do === 'create' || step.do === 'replace';
}

/** Two of different types cannot share a record: until it is known what became of the first, the second has to wait. */
function requireSameKind(earlier: JournalEntry, action: Action): void {
  if (earlier.type === action.type && earlier.provider === action.provider) return;
  throw new ErrandError(
    'infra/failed',
    `wanted to create ${action.type} ${action.resource}: '${earlier.provider}' cannot say yet whether an earlier command made ${earlier.type} of that name`,
    { next: `Try again when '${earlier.provider}' answers.`, retry: 'later' },
  );
}

interface ResolvedConfig {
  readonly config: Attributes;
  readonly sensitive: readonly string[];
  readonly confidential: readonly string[];
}

/** From what the resources are now, so that what a step before this one made is seen. */
function resolvePlanned(context: ApplyContext, name: string, desired: PlannedResource): ResolvedConfig {
  const open = (sealed: Parameters<typeof context.vault.open>[0]) => context.vault.open(sealed);
  const { config, unknown, sensitive, problems } = resolveConfig(
    desired.config,
    (reference) => referred(context, reference),
    open,
  );
  const [problem] = problems;
  if (problem || unknown.length > 0) {
    const what = problem ? `${problem.path}: ${problem.message}` : `${unknown.join(', ')} cannot be known`;
    const next = problem?.hint ?? 'Correct the reference, and plan again.';
    throw new ErrandError('infra/failed', `resolved the config of ${name}; ${what}`, { next });
  }
  const confidential = sensitive.flatMap((path) => texts(valueAt(config, path))).filter((text) => !text.startsWith('secret://'));
  return { config, sensitive, confidential };
}

export function referred(context: Pick<ApplyContext, 'live' | 'vault'>, reference: Parameters<typeof lookUpOutput>[1]) {
  const record = context.live.get(reference.name);
  if (!record) return { problem: `'${reference.name}' is not there`, hint: 'It was not made, or was deleted; plan again.' };
  return lookUpOutput({ ...record, settled: true }, reference, (sealed) => context.vault.open(sealed));
}

function specOf({ resource, type }: Action, { size, hints, dependsOn }: PlannedResource, config: Attributes): ResourceSpec {
  return { name: resource, type, config, dependsOn, ...(size && { size }), ...(hints && { hints }) };
}

function intendedRecord(
  context: ApplyContext,
  action: Action,
  { config, sensitive }: ResolvedConfig,
  deposed: ResourceRecord['deposed'],
): NonNullable<JournalEntry['intended']> {
  const current = context.live.get(action.resource);
  const desired = action.desired as PlannedResource;
  const owner = context.owner ?? current?.owner;
  const now = context.ports.clock.now();
  const sealed = sealPaths(context.vault, config, sensitive);
  const secrets = sensitive.length === 0 ? undefined : secretVersions(desired.config, context.inputs);
  return {
    name: action.resource,
    type: action.type,
    provider: action.provider,
    use: context.useOf(action.provider),
    config: sealed,
    configHash: configHash(fingerprinted(sealed)),
    ...(secrets && { secrets }),
    source: 'apply',
    dependencies: desired.dependsOn,
    protected: desired.protected,
    createBeforeDestroy: desired.createBeforeDestroy,
    ...(owner !== undefined && { owner }),
    createdAt: action.kind === 'update' && current ? current.createdAt : now,
    updatedAt: now,
    deposed,
    tainted: false,
  };
}

/** What stands beside the new self once it is made: a creation before the deletion puts the present one there. */
function replacedBy(action: Action, step: Step, current: ResourceRecord | undefined): ResourceRecord['deposed'] {
  const before = current?.deposed ?? [];
  const isNew = (key: string | undefined) => key !== undefined && !before.some((one) => one.key === key);
  const key = action.steps.find((other) => other.do === 'delete' && isNew(other.deposed))?.deposed;
  if (action.kind !== 'replace' || step.do !== 'create' || !current?.providerId || key === undefined) return before;
  return [...before, { key, providerId: current.providerId, outputs: current.outputs }];
}

/** Every text in the value, for masking. */
export function texts(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part: Json) => texts(part));
}
