// A job's record: one small file of JSON lines that only grows. Whoever learns something appends a line; each line is
// one write, so a reader sees it whole or not at all. Of several exits the first stands, for every reader alike.
//
//   {"asked":…}    by the opening that wants it started, with what is needed to find its processes
//   {"claimed":…}  by the supervisor that may start it; null when it gave the claim back
//   {"main":…}     the main process
//   {"exit":…}     nothing of the job is alive any more, or nobody will ever know
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JobExit } from '@errand/contract';
import { createOnce, isAbsent } from './files.ts';
import type { Identity } from './processes.ts';
import { linkSpare } from './spare.ts';

export interface Asked {
  readonly key: string;
  readonly owner: string;
  readonly mark: string;
  readonly sandboxed: boolean;
  readonly supervisor: Identity;
}

export interface JobRecord extends Asked {
  readonly claimed?: Identity;
  readonly main?: Identity;
  readonly exit?: JobExit;
}

export type RecordLine =
  | { readonly asked: Asked }
  | { readonly claimed: Identity | null }
  | { readonly main: Identity }
  | { readonly exit: JobExit };

interface Based {
  readonly base: string;
}

export const recordFile = (job: Based) => `${job.base}.job`;
export const claimFile = (job: Based) => `${job.base}.claim`;

// A torn line, left by a full disk, ends where the next one begins.
const text = (lines: readonly RecordLine[]) => lines.map((line) => `\n${JSON.stringify(line)}\n`).join('');

/** Starts the record, or adds to the one that is there. */
export function ask(job: Based, asked: Asked): void {
  const recycled = linkSpare(dirname(job.base), recordFile(job));
  if (recycled !== undefined || !createOnce(recordFile(job), text([{ asked }]))) append(job, { asked });
}

/** Throws ENOENT when the job's place is gone: a record is never made anew. */
export function append(job: Based, ...lines: readonly RecordLine[]): void {
  const file = openSync(recordFile(job), constants.O_WRONLY | constants.O_APPEND);
  try {
    writeSync(file, text(lines));
  } finally {
    closeSync(file);
  }
}

/** Undefined when there is none, or nothing in it yet. */
export function readJobRecord(job: Based): JobRecord | undefined {
  let content: string;
  try {
    content = readFileSync(recordFile(job), 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  let asked: Asked | undefined;
  let rest: Partial<Record<'claimed' | 'main', Identity>> & { exit?: JobExit } = {};
  for (const line of content.split('\n')) {
    const said = parse(line);
    if (!said) continue;
    if ('asked' in said) asked = said.asked;
    else if ('main' in said) rest = { ...rest, main: said.main };
    else if ('exit' in said) rest = { exit: said.exit, ...rest };
    else if (said.claimed) rest = { ...rest, claimed: said.claimed };
    else delete rest.claimed;
  }
  return asked && { ...asked, ...rest };
}

function parse(line: string): RecordLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as RecordLine;
  } catch {
    return undefined;
  }
}
