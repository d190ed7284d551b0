// The one outside call of a step. Nothing here writes state: the caller records what comes back.
import { ErrandError, isErrandError } from '@errand/contract';
import type { Driver, ResourceOutput, ResourceRef, ResourceSpec, SecretCall } from '@errand/contract';
import type { JournalEntry } from '../../model/infra/journal.ts';
import { isAnswerLost } from '../../providers/guard-infra.ts';

/** Undefined: it is gone. */
export async function carryOut(
  driver: Driver,
  entry: JournalEntry,
  spec: ResourceSpec | undefined,
  call: SecretCall,
): Promise<{ readonly output: ResourceOutput; readonly adopted: boolean } | undefined> {
  const ref: ResourceRef = {
    name: entry.resource,
    type: entry.type,
    ...(entry.providerId !== undefined && { providerId: entry.providerId }),
  };
  if (entry.do === 'delete') {
    await driver.delete(ref, call);
    return undefined;
  }
  if (!spec) throw new ErrandError('internal/bug', `nothing says what ${entry.resource} is to be`);
  if (entry.do === 'update') return { output: await driver.update(ref, spec, call), adopted: false };
  if (entry.do === 'read') return { output: await adopt(driver, spec, call), adopted: true };
  if (entry.do === 'replace' && driver.replace) return { output: await driver.replace(ref, spec, call), adopted: false };
  return driver.keyless ? createByName(driver, entry, spec, call) : create(driver, spec, call);
}

/**
 * Where a driver knows no keys, only the name tells whether a call whose answer was lost had its effect. What is there then is
 * what the call made, an earlier self that is still to be deleted apart; where nothing is, the call is made once more. Whatever
 * fails from there on, the first call stays the one that nobody knows about: its entry must not be closed by another error.
 */
async function createByName(driver: Driver, entry: JournalEntry, spec: ResourceSpec, call: SecretCall) {
  const made = async () => {
    const there = await driver.read({ name: spec.name, type: spec.type }, call);
    const isOld = entry.intended?.deposed.some((old) => old.providerId === there?.providerId);
    return there && !isOld ? { output: there, adopted: false } : undefined;
  };
  try {
    return await create(driver, spec, call);
  } catch (lost) {
    if (call.signal.aborted || !isErrandError(lost) || !isAnswerLost(lost)) throw lost;
    try {
      return (await made()) ?? (await create(driver, spec, call));
    } catch (error) {
      // The first call came late, and the second one ran into it.
      const late = isErrandError(error, 'provider/conflict') ? await made().catch(() => undefined) : undefined;
      if (late) return late;
      throw lost;
    }
  }
}

async function create(driver: Driver, spec: ResourceSpec, call: SecretCall) {
  try {
    return { output: await driver.create(spec, call), adopted: false };
  } catch (error) {
    if (!driver.upserts || !isErrandError(error, 'provider/conflict')) throw error;
    const there = await driver.read({ name: spec.name, type: spec.type }, call);
    if (!there) throw error;
    if (there.providerId === '') {
      throw new ErrandError('infra/failed', `found ${spec.type} ${spec.name} there already: the provider did not tell its id`, {
        next: `Import it with its id: errand infra import ${spec.name} ID`,
        cause: error,
      });
    }
    const ref = { name: spec.name, type: spec.type, providerId: there.providerId };
    return { output: await driver.update(ref, spec, call), adopted: true };
  }
}

async function adopt(driver: Driver, spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput> {
  const there = await driver.read((await driver.adopt?.(spec)) ?? { name: spec.name, type: spec.type }, call);
  if (there) return there;
  throw new ErrandError('provider/not-found', `looked for ${spec.type} ${spec.name} to take it over: it is not there any more`, {
    next: 'Plan again: then it is created.',
  });
}
