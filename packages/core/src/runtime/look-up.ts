import { ErrandError } from '@errand/contract';
import type { Lease } from '../model/lease.ts';
import type { Run } from '../model/run.ts';
import type { Reads } from '../store/port.ts';

/** By id or by an unambiguous beginning of it. */
export async function lookUpRun(store: Reads, id: string): Promise<Run> {
  const exact = await store.run(id);
  if (exact) return exact;
  return only('run', id, await store.findRuns(id.startsWith('run-') ? id : `run-${id}`));
}

export async function lookUpLease(store: Reads, id: string): Promise<Lease> {
  const exact = await store.lease(id);
  if (exact) return exact;
  return only('lease', id, await store.findLeases(id.startsWith('lease-') ? id : `lease-${id}`));
}

function only<T extends { readonly id: string }>(what: 'run' | 'lease', id: string, found: readonly T[]): T {
  const [first, ...others] = found;
  if (first && others.length === 0 && id !== '') return first;
  const code = what === 'run' ? 'run/unknown' : 'lease/unknown';
  if (!first || id === '') {
    throw new ErrandError(code, `there is no ${what} '${id}'`, { next: `List them with: errand ${what}s` });
  }
  throw new ErrandError(
    code,
    `'${id}' is the beginning of several ${what}s: ${found
      .slice(0, 5)
      .map((one) => one.id)
      .join(', ')}`,
    {
      next: 'Give more of the id.',
    },
  );
}
