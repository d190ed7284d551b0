// One step, from intent to result. The journal has the intent on disk before the call, and loses it in the same commit
// that records what came of it. Killed anywhere in between, the next command settles it (`recover.ts`).
import { createRedactor, ErrandError, isErrandError } from '@errand/contract';
import type { Driver, ResourceOutput, SecretCall } from '@errand/contract';
import { isDeepStrictEqual } from 'node:util';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { Action, Step } from '../../model/infra/plan.ts';
import type { StateChange } from '../../store/infra/port.ts';
import { openAll } from '../state/seal.ts';
import { outputOfRecord } from '../state/sealed-record.ts';
import { carryOut } from './carry-out.ts';
import type { ApplyContext } from './context.ts';
import { driverOf } from './context.ts';
import { afterFailure } from './failed.ts';
import { intentOf } from './intent.ts';
import type { Intent } from './intent.ts';
import { claimOwnership, noteOwner } from './ownership.ts';
import { recordOf, wrongAnswer } from './result.ts';

export interface StepEnd {
  readonly adopted?: boolean;
  readonly providerId?: string;
  /** It was there, and is gone. */
  readonly deleted?: Pick<JournalEntry, 'type' | 'provider'>;
  /** Resolves when the result is on disk. Steps that come after may begin before: their intents cannot overtake it. */
  readonly lasting: Promise<void>;
}

export interface Turn {
  /** Waits until one more call may be made; false when none may any more. */
  take(): Promise<boolean>;
  /** So many others are ready for theirs that this one's will not come at once. */
  isLate(): boolean;
}

export async function performStep(context: ApplyContext, action: Action, step: Step, turn: Turn): Promise<StepEnd> {
  if (step.do === 'forget') return { lasting: save(context, [{ kind: 'drop', name: action.resource }]) };
  const heard = new Set<string>();
  try {
    const intent = intentOf(context, action, step);
    for (const value of intent.confidential) heard.add(value);
    const { entry, spec } = intent;
    if (step.do === 'delete' && entry.providerId === undefined) return { lasting: Promise.resolve() };
    const driver = await driverOf(context, entry.provider, entry.type);
    const opened: StateChange = { kind: 'open', entry };
    await (turn.isLate() ? context.writer.writeSoon(opened) : context.writer.write(opened));
    const close: StateChange = { kind: 'close', id: entry.id };
    if (!(await turn.take())) return { lasting: save(context, [close]) };
    const call = callFor(context, action, step, entry.key, heard);
    let answer: Awaited<ReturnType<typeof carryOut>>;
    try {
      if (await isDone(context, action, step, intent, call)) return { lasting: save(context, [close]) };
      await claimOwnership(context, await context.infraOf(entry.provider), action, step, call);
      answer = await carryOut(driver, entry, spec, call);
    } catch (error) {
      const changes = await afterFailure(context, driver, entry, error, call);
      if (changes.length > 0) await save(context, changes);
      await tellFindings(context, driver, entry, error, call);
      throw context.signal.aborted ? ended(action, step, error) : error;
    }
    const earlier = context.open.get(action.resource);
    const closed: StateChange[] = earlier?.key === entry.key ? [close, { kind: 'close', id: earlier.id }] : [close];
    if (!answer) {
      return { deleted: entry, lasting: save(context, [...closed, ...removal(context, action.resource, step.deposed)]) };
    }
    return await recordAnswer(context, action, step, intent, answer, closed, heard, call);
  } catch (error) {
    throw masked(error, heard);
  }
}

async function recordAnswer(
  context: ApplyContext,
  action: Action,
  step: Step,
  { entry }: Intent,
  { output, adopted }: { readonly output: ResourceOutput; readonly adopted: boolean },
  closed: readonly StateChange[],
  heard: ReadonlySet<string>,
  call: SecretCall,
): Promise<StepEnd> {
  const wrong = wrongAnswer(entry, output);
  if (wrong && output.providerId === '') throw wrong;
  if (!entry.intended) throw new ErrandError('internal/bug', `nothing says what ${action.resource} was to be`);
  const driver = await driverOf(context, action.provider, action.type);
  const infra = await context.infraOf(action.provider);
  const made = recordOf(context.vault, driver, entry.intended, output, heard);
  const record = {
    ...made,
    ...(adopted && { source: 'adoption' as const }),
    tainted: wrong !== undefined && step.do === 'create',
  };
  const lasting = save(context, [...closed, { kind: 'put', record }]);
  if (wrong) {
    await lasting;
    throw wrong;
  }
  if (step.do !== 'update') await noteOwner(context, infra, { ...record }, call);
  return { lasting, providerId: record.providerId, ...(adopted && { adopted }) };
}

/**
 * An update that was planned for values nobody knew may turn out to change nothing; then nobody is called. One that
 * turns out to need another resource is not carried out: the plan that somebody agreed to did not say so.
 */
async function isDone(
  context: ApplyContext,
  action: Action,
  step: Step,
  { entry, spec }: Intent,
  call: SecretCall,
): Promise<boolean> {
  const current = context.live.get(action.resource);
  if (step.do !== 'update' || !spec || !current || !action.desired || action.desired.unknown.length === 0) return false;
  const driver = await driverOf(context, action.provider, action.type);
  const diff = await driver.diff(spec, outputOfRecord(context.vault, current), call);
  if (diff.needsReplace) {
    const paths = diff.changes.filter((change) => change.forceNew).map((change) => change.path);
    throw new ErrandError(
      'infra/failed',
      `wanted to update ${action.resource}: now that all values are known, it must be replaced (${paths.join(', ')})`,
      { next: 'Plan again: the new plan says so.' },
    );
  }
  if (!isDeepStrictEqual(entry.intended?.secrets, current.secrets)) return false;
  return !diff.needsUpdate && isDeepStrictEqual(openAll(context.vault, current.config), spec.config);
}

/** What the driver can find out about why it does not come up; nothing depends on it. */
async function tellFindings(context: ApplyContext, driver: Driver, entry: JournalEntry, error: unknown, call: SecretCall) {
  if (context.signal.aborted || !driver.troubleshoot || !isErrandError(error, 'provider/failed')) return;
  const providerId = context.live.get(entry.resource)?.providerId ?? entry.providerId;
  const ref = { name: entry.resource, type: entry.type, ...(providerId && { providerId }) };
  const findings = await driver.troubleshoot(ref, error.message, call).catch(() => []);
  for (const { phase, cause, detail } of findings) call.log(`${phase}: ${cause}: ${detail}`);
}

function ended(action: Action, step: Step, cause: unknown): ErrandError {
  return new ErrandError('infra/failed', `asked to ${step.do} ${action.resource}; the call was ended before its answer came`, {
    next: 'The journal has it: the next command finds out what became of it.',
    cause,
  });
}

/** A record with earlier selves that are still to be deleted stays for their sake, without an id of its own. */
export function removal(context: Pick<ApplyContext, 'live'>, name: string, deposedKey: string | undefined): StateChange[] {
  const current = context.live.get(name);
  if (!current || (deposedKey === undefined && current.deposed.length === 0)) return [{ kind: 'drop', name }];
  if (deposedKey === undefined) return [{ kind: 'put', record: { ...current, providerId: '', outputs: {}, status: '' } }];
  const deposed = current.deposed.filter(({ key }) => key !== deposedKey);
  if (deposed.length === 0 && current.providerId === '') return [{ kind: 'drop', name }];
  return [{ kind: 'put', record: { ...current, deposed } }];
}

/**
 * In memory first: what comes next must see it, and is written after it. On disk a little later: should we die before, the
 * journal still has the intent, and the provider is asked.
 */
export function save(context: Pick<ApplyContext, 'live' | 'writer'>, changes: readonly StateChange[]): Promise<void> {
  for (const change of changes) {
    if (change.kind === 'put') context.live.set(change.record.name, change.record);
    if (change.kind === 'drop') context.live.delete(change.name);
  }
  const lasting = context.writer.writeSoon(...changes);
  lasting.catch(() => {});
  return lasting;
}

function callFor(context: ApplyContext, action: Action, step: Step, key: string, heard: Set<string>): SecretCall {
  return {
    key,
    epoch: context.epoch,
    signal: context.signal,
    log: (line) => context.on({ kind: 'talk', step: step.id, resource: action.resource, line: mask(line, heard) }),
    secret: async (reference) => {
      const value = await context.secret(reference);
      heard.add(value);
      return value;
    },
  };
}

function mask(text: string, heard: ReadonlySet<string>): string {
  return heard.size === 0 ? text : createRedactor(heard).text(text);
}

function masked(error: unknown, heard: ReadonlySet<string>): unknown {
  if (heard.size === 0 || !isErrandError(error)) return error;
  const { code, retry, next, message } = error;
  return new ErrandError(code, mask(message, heard), { retry, ...(next !== undefined && { next: mask(next, heard) }) });
}
