// After a failed call: what is known about the resource now, and whether the journal may forget the call. An entry stays
// open as long as nobody knows what became of it; the next command asks again.
import { isErrandError } from '@errand/contract';
import type { Ask, Driver, ErrorCode } from '@errand/contract';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { StateChange } from '../../store/infra/port.ts';
import type { ApplyContext } from './context.ts';
import { recordOf } from './result.ts';

/** With these the provider says that it did not begin. */
export const untouched: ReadonlySet<ErrorCode> = new Set([
  'provider/auth',
  'provider/refused',
  'provider/conflict',
  'provider/image',
  'provider/unknown',
  'environment/unsupported',
  'secret/invalid',
  'secret/missing',
  'secret/refused',
]);

export async function afterFailure(
  context: Pick<ApplyContext, 'vault' | 'live' | 'signal'>,
  driver: Driver,
  entry: JournalEntry,
  error: unknown,
  ask: Ask,
): Promise<readonly StateChange[]> {
  const close: StateChange = { kind: 'close', id: entry.id };
  const code = isErrandError(error) ? error.code : undefined;
  if (code !== undefined && untouched.has(code)) return [close];
  if (context.signal.aborted || (isErrandError(error) && error.retry !== 'never')) return [];
  if (entry.do !== 'create' && entry.do !== 'replace') return [close];
  if (!entry.intended) return [close];
  try {
    const there = await driver.read({ name: entry.resource, type: entry.type }, ask);
    const isOld = there !== undefined && entry.intended.deposed.some((old) => old.providerId === there.providerId);
    if (!there || isOld || there.providerId === '') return entry.do === 'replace' && !there ? [close, gone(entry)] : [close];
    // Half-made, or made anew but not to the end: it is ours to replace, and must not be forgotten.
    return [close, { kind: 'put', record: { ...recordOf(context.vault, driver, entry.intended, there), tainted: true } }];
  } catch {
    return [];
  }
}

function gone(entry: JournalEntry): StateChange {
  return { kind: 'drop', name: entry.resource };
}
