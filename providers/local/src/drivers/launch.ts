// How a process becomes a resource once, whoever dies meanwhile: a shell writes its own pid into a claim that it makes
// exclusively, and then becomes the command. Of two shells one gets the claim; a claim that is there names the process.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAbsent } from '../files.ts';
import { membersOf } from '../members.ts';
import { hasMark, identityOf, isAlive, onLinux } from '../processes.ts';
import type { Identity } from '../processes.ts';
import type { MadeRecord, ProcessRecord, Records } from './records.ts';

/** $1 is the claim, the rest the command. */
const shell = 'set -C; { echo $$ > "$1"; } 2>/dev/null || exit 0; set +C; shift; exec "$@"';

export const logOf = (records: Records, id: string) => join(records.directory, 'output', `${id}.log`);
const claimOf = (records: Records, id: string) => join(records.directory, 'claims', id);

/** Undefined when it does not run. The id is in the environment of all its processes, so a recycled pid is not taken for it. */
export function identityIn(records: Records, record: MadeRecord): Identity | undefined {
  const { pid, started } = record.process ?? {};
  if (pid !== undefined && started !== undefined) return isAlive({ pid, started }) ? { pid, started } : undefined;
  const claimed = claimedPid(records, record.id);
  if (claimed === undefined) return undefined;
  const identity = identityOf(claimed);
  return identity.started !== '' && (!onLinux || hasMark(claimed, record.id)) ? identity : undefined;
}

function claimedPid(records: Records, id: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(claimOf(records, id), 'utf8'), 10) || undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Takes away the claim of one that died. While a claim is there nobody else can have one. */
export function forgetStaleClaim(records: Records, id: string): void {
  if (existsSync(claimOf(records, id)) && membersOf({ mark: id }).length === 0) forgetClaim(records, id);
}

export function forgetClaim(records: Records, id: string): void {
  rmSync(claimOf(records, id), { force: true });
}

/** Resolves when a process has the claim, ours or another one's; undefined when none could take it. */
export async function launch(
  records: Records,
  record: MadeRecord & { readonly process: ProcessRecord },
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Identity | undefined> {
  const { id, process: wanted } = record;
  for (const file of [claimOf(records, id), logOf(records, id)]) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const log = openSync(logOf(records, id), 'a', 0o600);
  let ended = false;
  try {
    const child = spawn('/bin/sh', ['-c', shell, 'errand', claimOf(records, id), ...wanted.command], {
      cwd: wanted.cwd,
      env: { ...env, ERRAND_RESOURCE: id },
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.once('exit', () => (ended = true));
    child.once('error', () => (ended = true));
    child.unref();
  } finally {
    closeSync(log);
  }
  for (;;) {
    const seen = claimedPid(records, id);
    if (seen !== undefined) return identityOf(seen);
    if (ended) return undefined;
    await sleep(3, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
