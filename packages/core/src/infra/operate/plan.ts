import { isErrandError } from '@errand/contract';
import type { Ask } from '@errand/contract';
import type { Plan } from '../../model/infra/plan.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts } from '../apply/session.ts';
import { computePlan } from '../plan/compute.ts';
import type { PlanOptions } from '../sdk.ts';
import { isOrphaned } from '../state/hold-lock.ts';

/** What a crash left is settled first, so that the plan is made for what is really there. */
export async function planStack(parts: InfraParts, options: PlanOptions = {}): Promise<Plan> {
  await recoverOrphans(parts, options.signal);
  const { ports, stack, vault } = parts;
  return computePlan({
    stack,
    state: await parts.store.read(stack.name),
    infraOf: openedIn(parts),
    vault,
    ask: askOf(options.signal),
    now: ports.clock.now(),
    id: `plan-${ports.random.id()}`,
    options,
  });
}

/** While somebody else is at work, the open entries are theirs. */
async function recoverOrphans(parts: InfraParts, abort: AbortSignal | undefined): Promise<void> {
  if ((await parts.store.journal(parts.stack.name)).length === 0) return;
  const { lock } = await parts.store.look(parts.stack.name);
  if (lock && !isOrphaned(parts.ports, lock)) return;
  try {
    await withStack(parts, { by: 'recover', abort, on: parts.heard }, async () => {});
  } catch (error) {
    if (!isErrandError(error, 'infra/locked')) throw error;
  }
}

/** For those who take a provider with its version. */
export function openedIn(parts: Pick<InfraParts, 'infraOf' | 'versionOf'>) {
  return async ({ name, use }: { readonly name: string; readonly use: string }) => ({
    infra: await parts.infraOf(name),
    version: parts.versionOf(use),
  });
}

export function askOf(signal: AbortSignal | undefined, log: Ask['log'] = () => {}): Ask {
  return { signal: signal ?? new AbortController().signal, log };
}
