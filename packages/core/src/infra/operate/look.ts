// Commands that look at what is there: drift, refresh, status.
import { createRedactor, MASK } from '@errand/contract';
import type { Drift, Infra, Json, ResourceSpec } from '@errand/contract';
import type { DriftSeen } from '../../model/infra/plan.ts';
import type { ResourceRecord, State } from '../../model/infra/record.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts } from '../apply/session.ts';
import { save } from '../apply/step.ts';
import { openProviders } from '../plan/providers.ts';
import { refOf, refresh } from '../plan/refresh.ts';
import { sealedTexts } from '../references/echo.ts';
import { mapLeaves } from '../references/walk.ts';
import type { RefreshResult } from '../sdk.ts';
import { openAll } from '../state/seal.ts';
import { askOf, openedIn } from './plan.ts';

type Found = Drift & { readonly provider: string };

/** A failure to look is an error, never "in sync". */
export async function drift(parts: InfraParts, signal?: AbortSignal): Promise<readonly Found[]> {
  const { resources } = await parts.store.read(parts.stack.name);
  const groups = Map.groupBy(resources.values(), (record) => record.provider);
  const found = await Promise.all(
    [...groups].map(async ([provider, records]) => {
      const infra = await parts.infraOf(provider);
      const drifts = infra.driftDetector ? await detect(parts, infra, records, signal) : await compare(parts, records, signal);
      return drifts.map((one) => ({ ...one, provider }));
    }),
  );
  return found.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function detect(
  parts: InfraParts,
  infra: Infra,
  records: readonly ResourceRecord[],
  signal: AbortSignal | undefined,
): Promise<readonly Drift[]> {
  // Nobody ever said what an imported one is to be: it is looked at for existence only.
  const known = records.filter(({ source, configHash }) => source !== 'import' || configHash !== '');
  const specs = new Map(known.map((record) => [record.name, specOf(parts, record)]));
  const answers = await infra.driftDetector?.detect(records.map(refOf), specs, askOf(signal));
  const byName = new Map(answers?.map((answer) => [answer.name, answer]));
  const secrets = records.flatMap((record) => [
    ...sealedTexts(record.config, parts.vault),
    ...sealedTexts(record.outputs, parts.vault),
  ]);
  const mask = masker(secrets);
  return records.map(({ name, type }) => {
    const answer = byName.get(name) ?? { name, type, drifted: false, class: 'unknown' as const, fields: [] };
    const { expected, actual } = answer;
    return {
      ...answer,
      ...(expected !== undefined && { expected: mask(expected) }),
      ...(actual !== undefined && { actual: mask(actual) }),
    };
  });
}

function specOf(parts: InfraParts, { name, type, config, dependencies }: ResourceRecord): ResourceSpec {
  return { name, type, config: openAll(parts.vault, config), dependsOn: dependencies };
}

function masker(secrets: readonly string[]): (value: Json) => Json {
  if (secrets.length === 0) return (value) => value;
  const redactor = createRedactor(secrets);
  return (value) => mapLeaves(value, '', (leaf) => (typeof leaf === 'string' ? redactor.text(leaf) : MASK));
}

async function compare(
  parts: InfraParts,
  records: readonly ResourceRecord[],
  signal: AbortSignal | undefined,
): Promise<readonly Drift[]> {
  const { seen, drift: drifted } = await lookAt(parts, records, signal);
  const byName = new Map(drifted.map((one) => [one.resource, one]));
  return records.map((record) => driftOf(record, byName.get(record.name), seen.get(record.name)?.ghost ?? false));
}

function driftOf({ name, type }: ResourceRecord, seen: DriftSeen | undefined, ghost: boolean): Drift {
  if (ghost) return { name, type, drifted: true, class: 'ghost', fields: [] };
  if (!seen) return { name, type, drifted: false, class: 'in-sync', fields: [] };
  const shown = (of: 'old' | 'new') =>
    Object.fromEntries(seen.changes.map((change) => [change.path, change.sensitive ? MASK : (change[of] ?? null)]));
  const fields = seen.changes.map((change) => change.path);
  return { name, type, drifted: true, class: 'config', fields, expected: shown('old'), actual: shown('new') };
}

async function lookAt(parts: InfraParts, records: readonly ResourceRecord[], signal: AbortSignal | undefined) {
  const needed = new Map(records.map(({ provider, use }) => [provider, { name: provider, use }]));
  const providers = await openProviders({ infraOf: openedIn(parts) }, needed);
  const input = { ask: askOf(signal), vault: parts.vault, now: parts.ports.clock.now(), stack: parts.stack };
  return refresh(input, providers, records);
}

/** Records what is there. What is gone is forgotten, unless earlier selves of it are still to be deleted. */
export async function refreshState(parts: InfraParts, signal?: AbortSignal): Promise<RefreshResult> {
  const { value, head } = await withStack(parts, { by: 'refresh', abort: signal }, async ({ context, state }) => {
    const { seen, changed } = await lookAt(parts, [...state.resources.values()], signal);
    const ghosts = [...seen.values()].filter((one) => one.ghost).map((one) => one.record);
    const gone = ghosts.filter((record) => record.deposed.length === 0);
    await save(context, [
      ...changed.map((record) => ({ kind: 'put' as const, record })),
      ...gone.map(({ name }) => ({ kind: 'drop' as const, name })),
    ]);
    return { refreshed: changed.map(({ name }) => name), ghosts: ghosts.map(({ name }) => name) };
  });
  return { ...value, serial: head.serial };
}

export interface StatusLine {
  readonly record: ResourceRecord;
  readonly status: string;
  readonly message: string;
}

/** What cannot be asked has the status `unknown` and says why. */
export async function status(parts: InfraParts, state: State): Promise<readonly StatusLine[]> {
  return Promise.all([...state.resources.values()].map((record) => statusOf(parts, record)));
}

async function statusOf(parts: InfraParts, record: ResourceRecord): Promise<StatusLine> {
  const ask = askOf(undefined);
  try {
    const infra = await parts.infraOf(record.provider);
    const driver = infra.drivers.get(record.type);
    if (!driver) return { record, status: 'unknown', message: `provider '${record.provider}' has no type ${record.type}` };
    const there = await driver.read(refOf(record), ask);
    if (!there) return { record, status: 'gone', message: 'it is recorded, but not there' };
    const health = await driver.health?.(refOf(record), ask);
    if (!health) return { record, status: there.status, message: '' };
    return { record, status: health.healthy ? there.status || 'healthy' : 'unhealthy', message: health.message };
  } catch (error) {
    return { record, status: 'unknown', message: error instanceof Error ? error.message : String(error) };
  }
}
