// The machine's processes, from /proc on Linux and from `ps` elsewhere.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Boot and start time in the kernel's own unit: a recycled pid has another. */
  readonly started: string;
  /** The kernel's letter: `Z` is dead and not yet collected, `T` is stopped. */
  readonly state: string;
  readonly name: string;
}

/** Who a process is, beyond its pid. */
export type Identity = Pick<Process, 'pid' | 'started'>;

export const onLinux = process.platform === 'linux';

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
  return boot;
}

/** Undefined when there is no such process, or only its corpse. */
export function processOf(pid: number): Process | undefined {
  if (!onLinux) return fromPs(['-p', String(pid)])[0];
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const found = parseStat(pid, text);
  return isDead(found) ? undefined : found;
}

/** The name may hold spaces and brackets, so the fields are counted from its last bracket. */
function parseStat(pid: number, text: string): Process {
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, close),
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    started: `${bootId()}:${fields[19]}`,
  };
}

const isDead = (found: Process) => found.state.startsWith('Z') || found.state.startsWith('X');

export function isAlive(who: Identity): boolean {
  return processOf(who.pid)?.started === who.started;
}

export function identityOf(pid: number): Identity {
  return { pid, started: processOf(pid)?.started ?? '' };
}

/**
 * `SIG35` of a child that is ending by that signal and was not collected yet, so that its pid is still its own. Smaller
 * numbers have names, and stand in the same field for a process that is only stopped.
 */
export function realTimeSignalOf(pid: number): string | undefined {
  if (!onLinux) return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const signal = Number(text.slice(text.lastIndexOf(' ') + 1)) & 0x7f;
    return signal > 31 ? `SIG${signal}` : undefined;
  } catch {
    return undefined;
  }
}

/** All pids; with `above`, only higher ones. */
export function listPids(above = 0): number[] {
  const pids: number[] = [];
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first < 48 || first > 57) continue;
    const pid = Number(name);
    if (pid > above) pids.push(pid);
  }
  return pids;
}

export function listProcesses(): Process[] {
  if (!onLinux) return fromPs(['-A']);
  return listPids().flatMap((pid) => processOf(pid) ?? []);
}

/** The highest pid given out most recently; smaller than an older pid after the numbers wrapped around. */
export function newestPid(): number {
  return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
}

/** Whether the process was started with this mark in its environment. Other users' processes cannot be asked. */
export function hasMark(pid: number, mark: string): boolean {
  if (!onLinux) return false;
  // A process in the middle of exec shows an empty environment for a moment.
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`);
      if (environment.length > 0) return environment.includes(mark);
      const found = processOf(pid);
      if (!found || found.parent === 2 || pid === 2) return false;
    } catch {
      return false;
    }
  }
  return false;
}

/** Memory that would come back if the process ended: shared program text does not count. */
export function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
    return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024;
  } catch {
    return 0;
  }
}

/** Exported for its test; `ps` gives no environment, so processes that leave their session are found by parent only. */
export function fromPs(which: readonly string[]): Process[] {
  let text: string;
  try {
    text = execFileSync('ps', [...which, '-o', 'pid=,ppid=,pgid=,sess=,stat=,lstart=,comm='], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return [];
  }
  return text
    .split('\n')
    .flatMap((line) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line);
      if (!match) return [];
      const [, pid, parent, group, session, state, started, name] = match;
      return [
        {
          pid: Number(pid),
          parent: Number(parent),
          group: Number(group),
          session: Number(session),
          state: state ?? '',
          started: (started ?? '').replaceAll(/\s+/g, ' '),
          name: name ?? '',
        },
      ];
    })
    .filter((found) => !isDead(found));
}
