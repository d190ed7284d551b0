// What we made on this machine, one file each below <home>/infra. A file or directory without a record is somebody
// else's: it is never overwritten and never removed.
//
//   records/<sha256 of its path or id>.json   see MadeRecord
//   made/<sha256 of its path>.json            a directory that had to be made on the way to something else
//   output/<id>.log                           what a process wrote
//   claims/<id>                               pid of the one process that may become the resource (see launch.ts)
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecord, temporaryName } from '../files.ts';

export interface MadeRecord {
  readonly type: string;
  /** Names are unique in a stack only, so the directory that paths are relative to tells them apart. */
  readonly root: string;
  readonly name: string;
  /** Of the call that made it. */
  readonly key: string;
  readonly id: string;
  /**
   * `making` is written before the thing is there, `deleting` before it goes: in both what is found may be somebody
   * else's, put there after a crash of ours, and counts as ours only when it is as `sha256` says.
   */
  readonly status: 'making' | 'made' | 'deleting';
  /** Of a file's content as we wrote it. */
  readonly sha256?: string;
  /** The reference that the content came from. */
  readonly contentFrom?: string;
  /** A file of ours beside the real one that a crash may have left. */
  readonly temporary?: string;
  /** A directory goes with everything in it. */
  readonly force?: boolean;
  readonly process?: ProcessRecord;
}

export interface ProcessRecord {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly grace: number;
  readonly pid?: number;
  readonly started?: string;
}

export interface Records {
  readonly directory: string;
  get(id: string): MadeRecord | undefined;
  /** The last one written under this name; looks at every record, so it is for lookups without an id. */
  find(type: string, root: string, name: string): MadeRecord | undefined;
  put(record: MadeRecord): void;
  remove(id: string): void;
}

export function openRecords(home: string): Records {
  const directory = join(home, 'infra');
  const records = join(directory, 'records');
  const fileOf = (id: string) => join(records, `${sha256(id)}.json`);
  const get = (id: string) => readRecord(fileOf(id)) as MadeRecord | undefined;
  return {
    directory,
    get,
    find(type, root, name) {
      let found: MadeRecord | undefined;
      for (const file of list(records)) {
        const record = readRecord(join(records, file)) as MadeRecord | undefined;
        if (record?.type !== type || record.root !== root || record.name !== name) continue;
        // What is on its way out must not hide what took its place.
        if (!found || found.status === 'deleting') found = record;
      }
      return found;
    },
    put(record) {
      mkdirSync(records, { recursive: true, mode: 0o700 });
      writeAtomically(fileOf(record.id), JSON.stringify(record), 0o600);
    },
    remove: (id) => rmSync(fileOf(id), { force: true }),
  };
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

export function writeAtomically(path: string, content: string, mode: number): void {
  const temporary = temporaryName(path);
  try {
    writeFileSync(temporary, content, { mode, flush: true });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
