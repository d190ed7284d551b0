// The baseline: what went into the workspace, so that afterwards the job's changes can be told from the person's. It
// describes exactly the bytes that were sent, so they are hashed on their way and not read a second time.
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { TreeEntry } from '@errand/contract';
import { baselineFile, epochsOf } from './layout.ts';
import { readRecords, writeRecords } from './records.ts';
import { sha256 } from './version.ts';
import type { Version } from './version.ts';

export type Baseline = ReadonlyMap<string, Version>;

const nothing = sha256(Buffer.alloc(0));

/**
 * Passes the entries on and notes what was sent of each. A file whose content was not read to its end is not noted. The
 * shortcut `local` is taken away: what a provider copies by itself is not seen here.
 */
export async function* noting(entries: AsyncIterable<TreeEntry>, sent: Map<string, Version>): AsyncGenerator<TreeEntry> {
  for await (const entry of entries) {
    if (entry.kind === 'directory') sent.set(entry.path, { kind: 'directory' });
    else if (entry.kind === 'link') sent.set(entry.path, { kind: 'link', target: entry.target });
    else if (entry.size === 0) sent.set(entry.path, { kind: 'file', mode: entry.mode, size: 0, sha256: nothing });
    if (entry.kind !== 'file') yield entry;
    else {
      const { kind, path, mode, size } = entry;
      yield { kind, path, mode, size, content: () => hashed(entry, sent) };
    }
  }
}

async function* hashed(entry: Extract<TreeEntry, { kind: 'file' }>, sent: Map<string, Version>): AsyncGenerator<Uint8Array> {
  const { path, mode } = entry;
  let hash: Hash | undefined;
  let size = 0;
  for await (const bytes of entry.content()) {
    size += bytes.length;
    // Noted with the last byte: a receiver that knows the size may not ask for more.
    if (size === entry.size) {
      const digest = hash ? hash.update(bytes).digest('hex') : sha256(bytes);
      sent.set(path, { kind: 'file', mode, size, sha256: digest });
    } else (hash ??= createHash('sha256')).update(bytes);
    yield bytes;
  }
}

/** Must be there before the job starts. Writing it again replaces it. */
export async function writeBaseline(directory: string, epoch: number, sent: Baseline): Promise<void> {
  await writeRecords(baselineFile(directory, epoch), sent);
}

/** Of the last watcher that filled the workspace. Undefined when it is not on this machine. */
export async function readBaseline(directory: string): Promise<Baseline | undefined> {
  for (const epoch of await epochsOf(directory, 'baseline')) {
    const records = await readRecords(baselineFile(directory, epoch));
    if (records) return new Map(records as [string, Version][]);
  }
  return undefined;
}
