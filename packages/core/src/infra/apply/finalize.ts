import type { ActionFailure } from '@errand/contract';
import type { Plan } from '../../model/infra/plan.ts';
import type { ApplyContext } from './context.ts';
import { keyOf } from './intent.ts';

/** Once per provider after every apply that was not broken off, also an empty one. A failure is told, nothing more. */
export async function finalize(context: ApplyContext, plan: Plan): Promise<readonly ActionFailure[]> {
  const failures: ActionFailure[] = [];
  for (const { name } of plan.providers) {
    try {
      const { finalizer } = await context.infraOf(name);
      if (!finalizer) continue;
      const call = {
        key: keyOf(context, name, `finalize ${plan.id}`),
        epoch: context.epoch,
        signal: context.signal,
        log: (line: string) => context.on({ kind: 'talk', step: `finalize ${name}`, resource: name, line }),
      };
      failures.push(...(await finalizer.finalize(plan.id, call)));
    } catch (error) {
      failures.push({ resource: name, action: 'finalize', error: error instanceof Error ? error.message : String(error) });
    }
  }
  return failures;
}
