// Who is starting a container. The engine would start one that has ended a second time, so only the one who made a
// container may start it; another must first be sure that this one never will (see start.ts).
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { newTag } from './place.ts';

export interface Starter {
  /** For the container's label. */
  readonly mark: string;
  /** Ids of the containers that this opening is about to start right now. */
  readonly busy: Set<string>;
  /** True only with proof. Otherwise watching it for long enough decides. */
  hasGivenUp(mark: string | undefined, id: string): boolean;
}

export function createStarter(): Starter {
  const machine = thisMachine();
  const own = newTag();
  const mark = JSON.stringify([machine, process.pid, startOf(process.pid), own]);
  const busy = new Set<string>();
  return {
    mark,
    busy,
    hasGivenUp(other, id) {
      if (other === mark) return !busy.has(id);
      const [place, pid, started] = parse(other);
      return place === machine && typeof pid === 'number' && startOf(pid) !== started;
    },
  };
}

function parse(mark: string | undefined): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(mark ?? '');
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Process numbers mean something only within one boot and one namespace. */
function thisMachine(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** When the process began, in the kernel's unit; empty when there is none, and always where /proc is missing. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return process.platform === 'linux' ? '' : aliveText(pid);
  }
}

function aliveText(pid: number): string {
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? 'alive' : '';
  }
}
