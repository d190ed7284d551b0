// Who a process is beyond its pid, so that a recycled pid is never taken for a plugin of ours.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and start time in the system's own unit. */
  readonly started: string;
}

/** Undefined when there is no such process, only its corpse, or when the system does not tell. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedInProc(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isSame(who: ProcessIdentity): boolean {
  return identityOf(who.pid)?.started === who.started;
}

function startedInProc(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in the second field may hold anything, so the fields are counted from its last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X' || fields[19] === undefined) return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startedByPs(pid: number): string | undefined {
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8', env, timeout: 5000 });
    const [state = 'Z', ...started] = text.trim().split(/\s+/);
    return state.startsWith('Z') || started.length === 0 ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}

/** Processes that were started with this variable. Only Linux tells, and only of our own user's processes. */
export function withVariable(name: string, value: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const wanted = Buffer.from(`${name}=${value}\0`);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        return readFileSync(`/proc/${entry}/environ`).includes(wanted) ? (identityOf(Number(entry)) ?? []) : [];
      } catch {
        return [];
      }
    });
}
