import type { Lease } from '@errand/core';
import type { Context } from '../context.ts';
import { outdatedText } from '../render/lease.ts';

/** Who edits an environment should know what still stands on the old one. */
export async function sayOutdated(
  context: Context,
  leases: readonly Lease[],
  outdated: ReadonlyMap<string, string>,
): Promise<void> {
  for (const lease of leases) {
    const because = outdated.get(lease.id);
    if (because !== undefined) await context.say(outdatedText(lease, because));
  }
}
