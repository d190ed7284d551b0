// What is known of a job that lives inside one call. The far side keeps nothing of it, so its output and its end rest here:
//
//   exec/<job>/        made by whoever may call for it: a directory can be made once
//     asked            who carries the call
//     log              the output, as it came: stream, length, bytes
//     stop             somebody wants it ended; whoever carries the call looks for it
//     end              how it ended. Written once, aside, and renamed into view
//
// A directory without `end` whose carrier is dead is a job that is lost: the call ended with its caller.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobExit } from '@errand/contract';

export interface Carrier {
  readonly pid: number;
  readonly started: string;
}

export interface Asked {
  readonly key: string;
  readonly owner: string;
  readonly place: string;
  readonly carrier: Carrier;
}

export const jobName = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 32);
export const jobsDir = (home: string) => join(home, 'exec');
export const jobDir = (home: string, key: string) => join(jobsDir(home), jobName(key));

/** True for the one who may make the call. */
export function claim(home: string, key: string): boolean {
  mkdirSync(jobsDir(home), { recursive: true, mode: 0o700 });
  try {
    mkdirSync(jobDir(home, key), { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

export const writeAsked = (dir: string, asked: Asked) => place(join(dir, 'asked'), asked);
export const readAsked = (dir: string) => readJson(join(dir, 'asked')) as Asked | undefined;
export const readEnd = (dir: string) => readJson(join(dir, 'end')) as JobExit | undefined;
export const askToStop = (dir: string) => writeFileSync(join(dir, 'stop'), '', { mode: 0o600 });
export const isToStop = (dir: string) => existsSync(join(dir, 'stop'));
export const remove = (dir: string) => rmSync(dir, { recursive: true, force: true });

/** The first end counts. */
export function writeEnd(dir: string, exit: JobExit): void {
  if (existsSync(dir) && !existsSync(join(dir, 'end'))) place(join(dir, 'end'), exit);
}

export function allJobs(home: string): { readonly dir: string; readonly asked: Asked }[] {
  return namesIn(jobsDir(home)).flatMap((name) => {
    const dir = join(jobsDir(home), name);
    const asked = readAsked(dir);
    return asked ? [{ dir, asked }] : [];
  });
}

/** A stop that came before its start leaves a mark; after this long nobody can still mean to start it. */
const markLifetime = 24 * 3_600_000;

export function removeMarks(home: string): void {
  for (const name of namesIn(jobsDir(home))) {
    const dir = join(jobsDir(home), name);
    const made = statSync(dir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (!readAsked(dir) && Date.now() - made > markLifetime) remove(dir);
  }
}

export function self(): Carrier {
  return { pid: process.pid, started: startOf(process.pid) ?? '' };
}

/** False only with proof: another process may have the same number later, but not the same start. */
export function mayLive({ pid, started }: Carrier): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const now = startOf(pid);
  return now === undefined || started === '' || now === started;
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'dead' : fields[19];
  } catch {
    return undefined;
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function place(file: string, data: unknown): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(data), { mode: 0o600 });
  renameSync(draft, file);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
