// Fetches what the job changed into a stage in the data directory. Nothing of the workspace is touched yet; what did not
// change is not kept.
import { createHash } from 'node:crypto';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { ErrandError, isErrandError, safeLink, safePath } from '@errand/contract';
import type { TreeEntry } from '@errand/contract';
import { readSmall, smallRead } from '../read-small.ts';
import type { Baseline } from './baseline.ts';
import { keepingFailed } from './records.ts';
import { same, sha256 } from './version.ts';
import type { Version } from './version.ts';

/** A path that is not as it went in. */
export interface Change {
  readonly path: string;
  readonly base?: Version;
  /** Absent: the job deleted it. */
  readonly remote?: Version;
}

export interface Staged {
  readonly changes: readonly Change[];
  readonly ignored: number;
  /** Names and links that could lead out of the workspace; they are not brought back. */
  readonly unsafe: readonly string[];
}

export interface StageOptions {
  /** Where changed files are kept under their paths. Emptied first. */
  readonly tree: string;
  readonly base: Baseline;
  readonly leavesOut: (path: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

type File = Extract<TreeEntry, { kind: 'file' }>;

export async function stageChanges(entries: AsyncIterable<TreeEntry>, options: StageOptions): Promise<Staged> {
  const { tree, base, signal } = options;
  const changes: Change[] = [];
  const unsafe: string[] = [];
  const seen = new Set<string>();
  let ignored = 0;
  await rm(tree, { recursive: true, force: true });
  for await (const entry of entries) {
    signal.throwIfAborted();
    const { path } = entry;
    if (entry.kind === 'directory') continue;
    const before = base.get(path);
    const remembered = before && { base: before };
    if (seen.has(path)) throw new ErrandError('workspace/failed', `refused the path ${JSON.stringify(path)}: it came twice`);
    seen.add(path);
    if (!isSafe(entry)) unsafe.push(path);
    else if (before === undefined && (await options.leavesOut(path))) ignored += 1;
    else if (entry.kind === 'link') {
      if (same(before, { kind: 'link', target: entry.target })) continue;
      // `a/../b` becomes `b`: when `a` is a link itself, going up behind it could lead out.
      changes.push({ path, ...remembered, remote: { kind: 'link', target: posix.normalize(entry.target) } });
    } else {
      const remote = await keepFile(entry, before, options);
      if (!same(before, remote)) changes.push({ path, ...remembered, remote });
    }
  }
  for (const [path, before] of base) {
    if (before.kind !== 'directory' && !seen.has(path)) changes.push({ path, base: before });
  }
  return { changes, ignored, unsafe };
}

function isSafe(entry: TreeEntry): boolean {
  try {
    safePath(entry.path);
    if (entry.kind === 'link') safeLink(entry.path, entry.target);
    return true;
  } catch (error) {
    if (isErrandError(error, 'workspace/escape')) return false;
    throw error;
  }
}

/** Its version; its bytes are in the stage when they differ from what went in. */
async function keepFile(entry: File, before: Version | undefined, options: StageOptions): Promise<Version> {
  const { mode, path } = entry;
  const full = join(options.tree, path);
  if (entry.size <= smallRead) {
    const bytes = entry.local === undefined ? await readAll(entry) : readSmall(entry.local, entry.size);
    const version = { kind: 'file', mode, size: bytes.length, sha256: sha256(bytes) } as const;
    if (same(before, version)) return version;
    await keeping(full, async () => {
      await mkdir(dirname(full), { recursive: true, mode: 0o700 });
      await writeFile(full, bytes, { mode: 0o600, flag: 'wx' });
    });
    return version;
  }
  await keeping(full, () => mkdir(dirname(full), { recursive: true, mode: 0o700 }));
  const hash = createHash('sha256');
  let size = 0;
  {
    await using file = await open(full, 'wx', 0o600);
    for await (const bytes of entry.content()) {
      options.signal.throwIfAborted();
      hash.update(bytes);
      size += bytes.length;
      await keeping(full, () => file.writeFile(bytes));
    }
  }
  const version = { kind: 'file', mode, size, sha256: hash.digest('hex') } as const;
  if (same(before, version)) await rm(full);
  return version;
}

async function readAll(entry: File): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const bytes of entry.content()) parts.push(bytes);
  return Buffer.concat(parts);
}

async function keeping<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw keepingFailed(path, error);
  }
}
