// Which processes belong to a job, and how they are told to end.
import { existsSync } from 'node:fs';
import { hasMark, listPids, listProcesses, newestPid, onLinux, processOf } from './processes.ts';
import type { Identity, Process } from './processes.ts';

export interface Marked {
  readonly mark: string;
  /** The main process, once known. Its pid is the number of the job's group and session. */
  readonly main?: Identity;
  /** Said by the supervisor alone: it saw the main process end and has not seen the group empty since. */
  readonly groupIsOurs?: boolean;
}

/**
 * By group, session and parentage, and by the mark for those that left all of these. What also wiped its environment
 * and was orphaned cannot be found; `sandbox: strict` holds even that.
 */
export function membersOf(job: Marked): Process[] {
  const all = listProcesses();
  const { main } = job;
  // Without its leader, a group of this number may be a stranger's that got the number later.
  const trusted =
    main !== undefined &&
    (job.groupIsOurs === true || !onLinux || all.some((one) => one.pid === main.pid && one.started === main.started));
  const found = new Set<number>();
  for (const one of all) {
    if (one.pid === process.pid) continue;
    const kin = trusted && (one.group === main.pid || one.session === main.pid);
    if (kin || hasMark(one.pid, job.mark)) found.add(one.pid);
  }
  for (let grown = true; grown;) {
    grown = false;
    for (const one of all) {
      if (found.has(one.pid) || !found.has(one.parent)) continue;
      found.add(one.pid);
      grown = true;
    }
  }
  return all.filter((one) => found.has(one.pid));
}

/**
 * True when nothing of a job is left whose main process has just been collected. Jobs come by the hundred per second,
 * so this must not read every process: the group is asked first, and only processes that are younger than the job can
 * have left it.
 */
export function isEmptied(job: Marked & { readonly main: Identity }, youngEnough: boolean, others: ReadonlySet<number>): boolean {
  try {
    process.kill(-job.main.pid, 0);
    // Somebody answers; perhaps only a corpse that nobody collected.
    return membersOf(job).length === 0;
  } catch {
    // The group is empty.
  }
  if (!onLinux || !youngEnough) return membersOf(job).length === 0;
  const newest = newestPid();
  if (newest < job.main.pid) return membersOf(job).length === 0;
  const younger = newest - job.main.pid > fewPids ? listPids(job.main.pid) : pidsBetween(job.main.pid, newest);
  return younger.every((pid) => others.has(pid) || !hasMark(pid, job.mark));
}

/** Up to this many numbers are tried one by one; beyond, listing all processes is cheaper. */
const fewPids = 40;

function pidsBetween(above: number, last: number): number[] {
  const pids: number[] = [];
  for (let pid = above + 1; pid <= last; pid++) if (existsSync(`/proc/${pid}`)) pids.push(pid);
  return pids;
}

/** In a sandbox the outer bwrap must not be asked: it would die and take the job's exit code with it. */
export function signalMembers(job: Marked & { readonly sandboxed?: boolean }, how: 'ask' | 'force'): number {
  const members = membersOf(job);
  const signal = how === 'ask' ? 'SIGTERM' : 'SIGKILL';
  const spared = (one: Process) => how === 'ask' && job.sandboxed === true && one.name === 'bwrap';
  // The whole group at once first, so that one that forks meanwhile does not slip through.
  const { main } = job;
  const whole = main && members.some((one) => one.group === main.pid) && !members.some(spared);
  if (whole) send(-main.pid, signal);
  for (const one of members) {
    if (spared(one) || (whole && one.group === main.pid)) continue;
    if (processOf(one.pid)?.started === one.started) send(one.pid, signal);
  }
  // A stopped process would sit on the request for ever.
  if (how === 'ask') for (const one of members) if (one.state.startsWith('T')) send(one.pid, 'SIGCONT');
  return members.length;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile, or another user's program took it over; the next look tells.
  }
}
