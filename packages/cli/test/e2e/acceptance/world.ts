// A place of its own for each acceptance test, whose every process can be found: the marker is in the environment of
// Errand, is passed on to supervisors and jobs as any LC_ variable is, and survives setsid and re-parenting.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { follow, lines, makePlace, program } from '../errand.ts';
import type { Place, Started } from '../errand.ts';

export const node = process.execPath;

export interface World extends Place {
  readonly marker: string;
  /** Like `start`, with variables added (or, when undefined, taken away), or as the leader of its own process group. */
  startWith(how: How, ...args: readonly string[]): Started;
  /** Processes of this world that are alive: Errand itself, supervisors and jobs. */
  living(): Living[];
}

export interface How {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly group?: boolean;
  readonly user?: number;
}

export interface Living {
  readonly pid: number;
  readonly cmdline: string;
  /** Belongs to a job, not to Errand. */
  readonly job: boolean;
}

export async function makeWorld(more: Readonly<Record<string, string>> = {}): Promise<World> {
  const marker = `mark${randomBytes(8).toString('hex')}`;
  const place = await makePlace({ LC_ERRAND_TEST: marker, ...more });
  const living = () => processesWith(marker);
  return {
    ...place,
    marker,
    living,
    startWith: ({ env, group, user }, ...args) =>
      follow(
        spawn(node, [program, ...args], {
          cwd: place.directory,
          env: { ...place.env, ...env },
          detached: group === true,
          ...(user !== undefined && { uid: user, gid: user }),
        }),
      ),
    async [Symbol.asyncDispose]() {
      await endAll(living);
      await place[Symbol.asyncDispose]();
    },
  };
}

/** A job that is killed may have a supervisor that writes until then, and a test that failed may have left anything. */
async function endAll(living: () => readonly Living[]): Promise<void> {
  for (let left = living(); left.length > 0; left = living()) {
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    await sleep(20);
  }
}

export function processesWith(text: string): Living[] {
  return process.platform === 'linux' ? fromProc(text) : fromPs(text);
}

/** A dead process that nobody collected has neither environment nor arguments any more. */
function fromProc(text: string): Living[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const cmdline = readFileSync(`/proc/${name}/cmdline`).toString();
        const environ = readFileSync(`/proc/${name}/environ`);
        if (!cmdline.includes(text) && !environ.includes(text)) return [];
        return [{ pid: Number(name), cmdline, job: environ.includes('ERRAND_JOB=') }];
      } catch {
        return [];
      }
    });
}

function fromPs(text: string): Living[] {
  return execFileSync('ps', ['-AwwE', '-o', 'pid=,stat=,command='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null && !match[2]?.startsWith('Z') && match[3]?.includes(text))
    .map((match) => ({ pid: Number(match?.[1]), cmdline: match?.[3] ?? '', job: match?.[3]?.includes('ERRAND_JOB=') ?? false }))
    .filter(({ pid }) => pid !== process.pid);
}

/** No process of any job is alive, and none appears a moment later. */
export async function expectNoJob(world: World): Promise<void> {
  expect(world.living().filter((one) => one.job)).toEqual([]);
  await sleep(150);
  expect(world.living().filter((one) => one.job)).toEqual([]);
}

export async function until(what: string, condition: () => boolean | Promise<boolean>, patience = 30_000): Promise<void> {
  for (const end = Date.now() + patience; !(await condition()); await sleep(10)) {
    if (Date.now() > end) throw new Error(`waited ${patience} ms in vain until ${what}`);
  }
}

export interface RunLine {
  readonly id: string;
  readonly status: string;
  readonly outcome?: unknown;
}

export async function runs(world: Place): Promise<RunLine[]> {
  const { out, err, status } = await world.errand('runs', '--json');
  expect({ err, status }).toEqual({ err: '', status: 0 });
  return lines<RunLine>(out);
}

export async function onlyRun(world: Place): Promise<string> {
  const all = await runs(world);
  expect(all).toHaveLength(1);
  return all[0]?.id ?? '';
}

/** Directories that hold a workspace, or what is left of one. A draft that a kill left is not one yet; it goes after a minute. */
export function places(home: string): string[] {
  try {
    return readdirSync(join(home, 'local', 'places')).filter((name) => !name.startsWith('.new-'));
  } catch {
    return [];
  }
}

/** Nothing recorded, nothing standing, nothing alive. */
export async function expectNothingStarted(world: World): Promise<void> {
  expect(places(world.home)).toEqual([]);
  expect(world.living().filter((one) => one.job)).toEqual([]);
  // A supervisor that was launched in vain is killed, which takes the kernel a moment.
  await until('nothing is left', () => world.living().length === 0, 2_000);
  expect(await runs(world)).toEqual([]);
  expect(lines((await world.errand('leases', '--all', '--json')).out)).toEqual([]);
}

/** For parts that not every machine has. On CI their absence is a failure. */
export function needs(context: { skip(note: string): unknown }, what: string, present: boolean): void {
  if (present) return;
  if (process.env['CI']) throw new Error(`this test needs ${what}`);
  context.skip(`needs ${what}`);
}
