import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { variables } from '../handshake/cookie.ts';
import { identityOf, isSame, withVariable } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { listRecords } from './record.ts';
import type { LaunchRecord } from './record.ts';
import { signalGroup } from './signal-group.ts';

/** How long a killed process may take to vanish. */
const patience = 2000;

/**
 * Ends the plugins that killed hosts left under this home. A process is touched only when its host is proven dead and
 * its own pid and start time match the record. Idempotent, and harmless when two hosts do it at once.
 */
export async function endOrphans(home: string, log: (line: string) => void): Promise<void> {
  for (const { file, record } of await listRecords(home)) {
    if (!isOrphaned(record)) continue;
    const left = leftOf(record);
    for (const { pid } of left) {
      log(`ended the plugin process ${pid} of ${record.directory}: its host (process ${record.host.pid}) is gone`);
      signalGroup(pid, 'SIGKILL');
    }
    // What does not go away keeps its record, and the next start tries again.
    if (!(await areGone(left))) continue;
    await rm(record.socketDirectory, { recursive: true, force: true });
    await rm(file, { force: true });
  }
}

/** Without a start time there is no proof, and another machine's processes cannot be seen from here. */
function isOrphaned(record: LaunchRecord): boolean {
  if (record.machine !== hostname() || record.host.started === 'unknown') return false;
  return !isSame(record.host) && identityOf(process.pid) !== undefined;
}

function leftOf(record: LaunchRecord): ProcessIdentity[] {
  if (record.plugin === undefined) return withVariable(variables.socketDirectory, record.socketDirectory);
  return isSame(record.plugin) ? [record.plugin] : [];
}

async function areGone(who: readonly ProcessIdentity[]): Promise<boolean> {
  for (let waited = 0; waited < patience; waited += 20) {
    if (!who.some(isSame)) return true;
    await sleep(20);
  }
  return false;
}
