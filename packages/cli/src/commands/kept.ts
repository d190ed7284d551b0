import type { Lease, Run, Runtime } from '@errand/core';
import type { Context } from '../context.ts';
import { iso } from '../render/time.ts';

/** The lease that a failed run has left to be looked at. */
export async function keptLease(runtime: Pick<Runtime, 'show'>, run: Run): Promise<Lease | undefined> {
  if (run.spec.setup?.policy !== 'keep-on-failure' || run.spec.lease !== undefined) return undefined;
  const { lease } = await runtime.show(run.id);
  return lease?.status === 'idle' ? lease : undefined;
}

/** Said even with --quiet: it costs until it is released. */
export async function sayKept(context: Context, { id, expiresAt }: Lease): Promise<void> {
  await context.warn(`kept lease ${id} until ${iso(expiresAt)}, because the command failed`);
  await context.warn(`  next: look at it with errand lease exec ${id} -- ls -la, then errand lease release ${id}`);
}
