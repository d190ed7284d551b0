// What a host writes down about a plugin that it launches, so that a later one can end it when this one was killed.
// The record appears before the process does; a plugin whose pid was never written is found by its socket directory.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { identityOf } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface LaunchRecord {
  readonly version: 1;
  readonly machine: string;
  readonly host: ProcessIdentity;
  /** Absent while the process is being started. */
  readonly plugin?: ProcessIdentity;
  readonly directory: string;
  readonly socketDirectory: string;
}

/** How the names of socket directories begin; nothing else is ever removed on a record's word. */
export const socketPrefix = 'errand-plugin-';

const folderOf = (home: string) => join(home, 'processes');

export interface OpenRecord {
  /** The process is there. */
  started(plugin: ProcessIdentity | undefined): Promise<void>;
  /** The process is gone. May be called twice. */
  remove(): Promise<void>;
}

export async function openRecord(home: string, directory: string, socketDirectory: string): Promise<OpenRecord> {
  const folder = folderOf(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${randomUUID()}.json`);
  const host = identityOf(process.pid) ?? { pid: process.pid, started: 'unknown' };
  const record: LaunchRecord = { version: 1, machine: hostname(), host, directory, socketDirectory };
  await replace(file, record);
  return {
    started: async (plugin) => {
      if (plugin !== undefined) await replace(file, { ...record, plugin });
    },
    remove: () => rm(file, { force: true }),
  };
}

async function replace(file: string, record: LaunchRecord): Promise<void> {
  const fresh = `${file}.new`;
  await writeFile(fresh, JSON.stringify(record), { mode: 0o600 });
  await rename(fresh, file);
}

/** Every readable record under this home, with its file. */
export async function listRecords(home: string): Promise<{ readonly file: string; readonly record: LaunchRecord }[]> {
  const folder = folderOf(home);
  const names = await readdir(folder).catch(() => []);
  const read = names
    .filter((name) => name.endsWith('.json'))
    .map(async (name) => {
      const file = join(folder, name);
      const record = parseRecord(await readFile(file, 'utf8').catch(() => ''));
      return record === undefined ? [] : [{ file, record }];
    });
  return (await Promise.all(read)).flat();
}

/** Undefined for everything that is not a record of ours: then nothing is done on its word. */
export function parseRecord(text: string): LaunchRecord | undefined {
  let value: Partial<LaunchRecord>;
  try {
    value = JSON.parse(text) as Partial<LaunchRecord>;
  } catch {
    return undefined;
  }
  const whole =
    value !== null &&
    value.version === 1 &&
    typeof value.machine === 'string' &&
    isIdentity(value.host) &&
    (value.plugin === undefined || isIdentity(value.plugin)) &&
    typeof value.directory === 'string' &&
    typeof value.socketDirectory === 'string' &&
    basename(value.socketDirectory).startsWith(socketPrefix);
  return whole ? (value as LaunchRecord) : undefined;
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, started } = value as Partial<ProcessIdentity>;
  return Number.isSafeInteger(pid) && (pid ?? 0) > 1 && typeof started === 'string';
}
