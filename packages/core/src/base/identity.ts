// Proof of death. Everything that is not proof (another machine, another pid namespace, a process that we may not
// see, a tool that fails) counts as alive: then the claim's expiry decides, which is only slower.
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import type { Holder, Identity } from '../ports.ts';

export function systemIdentity(): Identity {
  const seen = look(process.pid);
  const started = seen === 'gone' || seen === 'unknown' ? 'unknown' : seen.started;
  const self: Holder = { machine: machine(), pid: process.pid, started };
  return { self, isDead: (holder) => holder.machine === self.machine && isGone(holder) };
}

function isGone(holder: Holder): boolean {
  if (!Number.isSafeInteger(holder.pid) || holder.pid <= 0) return false;
  const seen = look(holder.pid);
  if (seen === 'gone') return true;
  return seen !== 'unknown' && holder.started !== 'unknown' && seen.started !== holder.started;
}

type Look = { readonly started: string } | 'gone' | 'unknown';

function look(pid: number): Look {
  if (!exists(pid)) return 'gone';
  return process.platform === 'linux' ? lookInProc(pid) : lookWithPs(pid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function lookInProc(pid: number): Look {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // It ended since `exists`, or /proc hides other people's processes; only the first is proof.
    return exists(pid) ? 'unknown' : 'gone';
  }
}

/** One line of `/proc/<pid>/stat`. The name in its second field may hold spaces, parentheses and newlines. */
export function parseStat(line: string): Look {
  const close = line.lastIndexOf(')');
  // From the third field on: state is [0], the number of threads [17], the start time [19].
  const fields = line.slice(close + 2).split(' ');
  const [state, threads, started] = [fields[0], fields[17], fields[19]];
  if (close === -1 || started === undefined) return 'unknown';
  // A zombie leader with other threads is still on its way out and may yet write.
  if (state === 'X' || (state === 'Z' && Number(threads) <= 1)) return 'gone';
  return { started };
}

function lookWithPs(pid: number): Look {
  try {
    const text = run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    const [state = '', ...started] = text.split(/\s+/);
    if (started.length === 0) return 'unknown';
    return state.startsWith('Z') ? 'gone' : { started: started.join(' ') };
  } catch {
    return exists(pid) ? 'unknown' : 'gone';
  }
}

/** Containers may share a host name and a boot, but then not the numbering of processes. */
function machine(): string {
  if (process.platform !== 'linux') return `${hostname()}/${bootElsewhere()}`;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${hostname()}/${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${hostname()}/${bootElsewhere()}`;
  }
}

function bootElsewhere(): string {
  if (process.platform === 'darwin') {
    try {
      return run('sysctl', ['-n', 'kern.bootsessionuuid']);
    } catch {
      // The boot time below does as well, it is only less exact.
    }
  }
  return String(Math.round((Date.now() / 1000 - uptime()) / 60));
}

function run(program: string, args: readonly string[]): string {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  return execFileSync(program, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'], timeout: 5000 }).trim();
}
