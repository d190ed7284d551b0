// Looks at what is there. What was recorded as sensitive and is not told again is kept: many platforms show a password once.
import type { Attributes, Driver, Json, ResourceOutput } from '@errand/contract';
import { sameJson } from '../../base/same-json.ts';
import type { DriftSeen } from '../../model/infra/plan.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { echoedKeys, sealedTexts } from '../references/echo.ts';
import { isSealed, type Vault } from '../references/sealed.ts';
import { askEach, singlesAtOnce } from './batches.ts';
import { compareOutputs, plannedChange } from './changes.ts';
import { failed, type Failure } from './failures.ts';
import type { OpenProviders } from './providers.ts';
import type { PlanInput, Seen } from './types.ts';

export interface Refreshed {
  readonly seen: ReadonlyMap<string, Seen>;
  readonly changed: readonly ResourceRecord[];
  readonly drift: readonly DriftSeen[];
}

export async function refresh(
  input: Pick<PlanInput, 'ask' | 'vault' | 'now' | 'options' | 'stack'>,
  providers: OpenProviders,
  records: readonly ResourceRecord[],
): Promise<Refreshed> {
  const answers = new Map<string, ResourceOutput | undefined>();
  const failures: Failure[] = [];
  const groups = Map.groupBy(records, (record) => providers.driver(record.provider, record.type));
  const jobs = [...groups].map(async ([driver, group]) => {
    if (!driver) return;
    const read = await readAll(input, driver, group);
    for (const [at, answer] of read.entries()) {
      const { name } = group[at] as ResourceRecord;
      if ('value' in answer) answers.set(name, answer.value);
      else
        failures.push({ resource: name, doing: 'reading', error: answer.error, origin: input.stack.resources.get(name)?.origin });
    }
  });
  await Promise.all(jobs);
  if (failures.length > 0) throw failed(failures, input.ask.signal);

  const seen = new Map<string, Seen>();
  const changed: ResourceRecord[] = [];
  const drift: DriftSeen[] = [];
  for (const record of records) {
    const { name, type } = record;
    const answer = answers.get(name);
    if (!answers.has(name)) seen.set(name, { record, ghost: false });
    else if (!answer) {
      seen.set(name, { record, ghost: true });
      drift.push({ resource: name, type, class: 'ghost', changes: [] });
    } else {
      const looked = compare(input, record, answer, providers.driver(record.provider, type)?.sensitiveKeys ?? []);
      seen.set(name, { record: looked.record, live: looked.live, ghost: false });
      if (looked.record !== record) changed.push(looked.record);
      if (looked.changes.length > 0) drift.push({ resource: name, type, class: 'config', changes: looked.changes });
    }
  }
  return { seen, changed, drift };
}

function readAll(input: Pick<PlanInput, 'ask' | 'options'>, driver: Driver, records: readonly ResourceRecord[]) {
  const { ask } = input;
  const many = driver.readMany?.bind(driver);
  return askEach(records.map(refOf), ask, {
    one: (ref) => driver.read(ref, ask),
    many: many && ((refs) => many(refs, ask)),
    atOnce: input.options?.parallelism ?? singlesAtOnce,
  });
}

/** An empty id is none: the driver then looks for the name. */
export function refOf(record: Pick<ResourceRecord, 'name' | 'type' | 'providerId'>) {
  const { name, type, providerId } = record;
  return providerId === '' ? { name, type } : { name, type, providerId };
}

function compare(
  input: Pick<PlanInput, 'vault' | 'now'>,
  record: ResourceRecord,
  answer: ResourceOutput,
  sensitiveKeys: readonly string[],
) {
  const before = openOutputs(input.vault, record.outputs);
  const echoed = echoedKeys(answer.outputs, sealedTexts(record.config, input.vault));
  const sensitive = [...new Set([...sensitiveKeys, ...answer.sensitive, ...record.sensitive, ...echoed])].filter(
    (key) => Object.hasOwn(answer.outputs, key) || Object.hasOwn(record.outputs, key),
  );
  const kept = record.sensitive.filter((key) => Object.hasOwn(before, key) && !Object.hasOwn(answer.outputs, key));
  const outputs =
    kept.length === 0
      ? answer.outputs
      : { ...Object.fromEntries(kept.map((key) => [key, before[key] as Json])), ...answer.outputs };
  const providerId = answer.providerId === '' ? record.providerId : answer.providerId;
  const live: ResourceOutput = { ...answer, name: record.name, type: record.type, providerId, outputs, sensitive };
  const same = sameJson(before, outputs);
  const unmoved = same && providerId === record.providerId && answer.status === record.status;
  if (unmoved && sameJson(sensitive.toSorted(), record.sensitive.toSorted())) return { record, live, changes: [] };
  const shown = { sensitive, unknown: [], secrets: [] };
  return {
    live,
    changes: same ? [] : compareOutputs(before, outputs).map((change) => plannedChange(change, shown)),
    record: {
      ...record,
      providerId,
      outputs: sealOutputs(input.vault, outputs, sensitive),
      sensitive,
      status: answer.status,
      driftCheckedAt: input.now,
    },
  };
}

export function openOutputs(vault: Pick<Vault, 'open'>, outputs: Attributes): Attributes {
  let copy: Record<string, Json> | undefined;
  for (const key of Object.keys(outputs)) {
    const value = outputs[key];
    if (isSealed(value)) (copy ??= { ...outputs })[key] = vault.open(value);
  }
  return copy ?? outputs;
}

export function sealOutputs(vault: Pick<Vault, 'seal'>, outputs: Attributes, sensitive: readonly string[]): Attributes {
  const present = sensitive.filter((key) => Object.hasOwn(outputs, key));
  if (present.length === 0) return outputs;
  return { ...outputs, ...Object.fromEntries(present.map((key) => [key, vault.seal(outputs[key] as Json) as unknown as Json])) };
}
