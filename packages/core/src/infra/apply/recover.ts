// What a command that died left in the journal. Each entry is a call that may or may not have had its effect; the
// provider is asked, by key or by name, and the entry is finished, adopted or cleared. Killed in the middle, it is begun
// again: every call here repeats one that was made before, or only looks.
import { createRedactor, isErrandError } from '@errand/contract';
import type { Driver, ResourceSpec, SecretCall } from '@errand/contract';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import type { StateChange } from '../../store/infra/port.ts';
import { sealedTexts } from '../references/echo.ts';
import { openAll } from '../state/seal.ts';
import type { ApplyContext } from './context.ts';
import { driverOf } from './context.ts';
import { afterFailure, untouched } from './failed.ts';
import { recordOf, sealedOutputs, wrongAnswer } from './result.ts';
import { removal, save } from './step.ts';

interface Settled {
  /** Empty: nobody knows yet, the entry stays open. */
  readonly changes: readonly StateChange[];
  readonly what: string;
}

const atOnce = 10;

/** Gives the entries that are still open, by resource. */
export async function recover(context: ApplyContext, entries: readonly JournalEntry[]): Promise<Map<string, JournalEntry>> {
  const left = new Map<string, JournalEntry>();
  let taken = 0;
  const worker = async () => {
    for (let entry = entries[taken++]; entry; entry = entries[taken++]) {
      const { changes, what } = await settleEntry(context, entry);
      if (changes.length === 0) left.set(entry.resource, entry);
      else await save(context, changes);
      context.on({ kind: 'recovered', resource: entry.resource, what: createRedactor(secretsOf(context, entry)).text(what) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, entries.length) }, worker));
  return left;
}

async function settleEntry(context: ApplyContext, entry: JournalEntry): Promise<Settled> {
  try {
    const driver = await driverOf(context, entry.provider, entry.type);
    const call = callFor(context, entry);
    if (entry.do === 'create' || entry.do === 'replace') return await finish(context, driver, entry, call);
    return await look(context, driver, entry, call);
  } catch (error) {
    context.signal.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    return { changes: [], what: `could not find out whether the earlier ${entry.do} had its effect: ${said}` };
  }
}

async function look(context: ApplyContext, driver: Driver, entry: JournalEntry, call: SecretCall): Promise<Settled> {
  const close: StateChange = { kind: 'close', id: entry.id };
  const record = context.live.get(entry.resource);
  if (entry.do === 'read') return { changes: [close], what: 'an adoption that did not come to its end is forgotten' };
  const there = await driver.read(refOf(entry), call);
  if (entry.do === 'delete') {
    if (there) return { changes: [close], what: 'it is still there; its deletion had not come to its end' };
    return { changes: [close, ...removal(context, entry.resource, entry.deposed)], what: 'it was deleted' };
  }
  if (!there || !record) return { changes: [close], what: 'it is gone' };
  const seen = { ...sealedOutputs(context.vault, driver, there, secretsOf(context, entry)), status: there.status };
  // Whether the update was carried out shows in what is there; if not, the older config stays, and the next plan compares.
  const { intended } = entry;
  const diff = intended && (await driver.diff(specOf(context, entry, intended), there, call));
  const isDone = diff && !diff.needsUpdate && !diff.needsReplace;
  const updated = isDone && { ...intended, ...earlierSecrets(record, intended) };
  const put: StateChange = { kind: 'put', record: { ...record, ...updated, ...seen } };
  const what = isDone ? 'it was updated' : 'its update was interrupted; it is recorded as it is now';
  return { changes: [close, put], what };
}

/** Which value a secret has does not show: where it was to change, the older one counts, and the next plan gives the new one again. */
function earlierSecrets(record: ResourceRecord, intended: Partial<ResourceRecord>): Partial<ResourceRecord> {
  return record.secrets && intended.secrets ? { secrets: { ...intended.secrets, ...record.secrets } } : {};
}

function specOf(context: ApplyContext, entry: JournalEntry, intended: NonNullable<JournalEntry['intended']>): ResourceSpec {
  const config = openAll(context.vault, intended.config);
  return { name: entry.resource, type: entry.type, config, dependsOn: intended.dependencies };
}

/** A creation that is found by name is gone through again with its key: that adopts what the key made and finishes it. */
async function finish(context: ApplyContext, driver: Driver, entry: JournalEntry, call: SecretCall): Promise<Settled> {
  const close: StateChange = { kind: 'close', id: entry.id };
  const { intended } = entry;
  if (!intended) return { changes: [close], what: 'the journal does not say what it was to be' };
  const beside = new Set(intended.deposed.map((old) => old.providerId));
  if (entry.do === 'create' && (beside.size === 0 || driver.keyless)) {
    const there = await driver.read({ name: entry.resource, type: entry.type }, call);
    if (!there || beside.has(there.providerId)) return { changes: [close], what: 'it had not been made yet' };
    if (driver.keyless) {
      const record = recordOf(context.vault, driver, intended, there, secretsOf(context, entry));
      return { changes: [close, { kind: 'put', record }], what: `it had been made: ${there.providerId}` };
    }
  }
  const present = context.live.get(entry.resource);
  const spec = specOf(context, entry, intended);
  try {
    const again = entry.do === 'replace' ? driver.replace?.(refOf(entry), spec, call) : undefined;
    const output = await (again ?? driver.create(spec, call));
    const wrong = wrongAnswer(entry, output);
    if (wrong) throw wrong;
    if (
      present?.providerId &&
      present.providerId !== output.providerId &&
      !beside.has(present.providerId) &&
      entry.do === 'create'
    ) {
      return {
        changes: [],
        what: `${output.providerId} was made for it, but ${present.providerId} is recorded; forget one of them`,
      };
    }
    const record = recordOf(context.vault, driver, intended, output, secretsOf(context, entry));
    return { changes: [close, { kind: 'put', record }], what: `it had been begun, and is there now: ${output.providerId}` };
  } catch (error) {
    // A refusal says that this call had no effect, not that the first one had none; only a conflict says whose it is.
    const isRefusal = isErrandError(error) && untouched.has(error.code) && error.code !== 'provider/conflict';
    const changes = isRefusal ? [] : await afterFailure(context, driver, entry, error, call);
    const said = isErrandError(error) ? error.message : String(error);
    return { changes, what: `its ${entry.do} was interrupted and could not be finished: ${said}` };
  }
}

function refOf(entry: JournalEntry) {
  return {
    name: entry.resource,
    type: entry.type,
    ...(entry.providerId !== undefined && { providerId: entry.providerId }),
  };
}

function secretsOf(context: ApplyContext, entry: JournalEntry): readonly string[] {
  return entry.intended ? sealedTexts(entry.intended.config, context.vault) : [];
}

function callFor(context: ApplyContext, entry: JournalEntry): SecretCall {
  return {
    key: entry.key,
    epoch: context.epoch,
    signal: context.signal,
    log: (line) => context.on({ kind: 'talk', step: `recover ${entry.resource}`, resource: entry.resource, line }),
    secret: (reference) => context.secret(reference),
  };
}
