// The places of SandboxExecService belong to the process that answers the calls: when it is dead, so are its calls, and
// whoever comes next gives the places up at once. Another agent with the same home is left alone.
import type { Holder, Identity } from '@errand/core';

const prefix = 'agent.exec.';

export function execOwner({ self }: Identity): string {
  return prefix + Buffer.from(JSON.stringify(self)).toString('base64url');
}

/** True only with proof. */
export function isDeadExecOwner(identity: Identity, owner: string): boolean {
  if (!owner.startsWith(prefix)) return false;
  try {
    return identity.isDead(JSON.parse(Buffer.from(owner.slice(prefix.length), 'base64url').toString()) as Holder);
  } catch {
    return false;
  }
}
