// A workspace on its way into an archive.
import { lstatSync, readFileSync } from 'node:fs';
import { ErrandError } from '../error.ts';
import { safeLink, safePath } from '../tree.ts';
import type { TreeEntry } from '../tree.ts';
import type { TarEntry } from './write.ts';

type File = Extract<TreeEntry, { kind: 'file' }>;

/** Below this a blocking read is over sooner than a thread could begin one. */
const smallRead = 256 * 1024;

/** Refuses what leads out of the workspace, or through a link or file of it, and puts in the directories that are not named. */
export async function* packTree(files: AsyncIterable<TreeEntry>, signal: AbortSignal): AsyncGenerator<TarEntry> {
  const seen = new Map<string, TreeEntry['kind']>();
  const made = new Set<string>();
  for await (const entry of files) {
    signal.throwIfAborted();
    const path = safePath(entry.path);
    for (const parent of parentsOf(path)) {
      const there = seen.get(parent);
      if (there !== undefined && there !== 'directory') throw through(parent);
      if (there === undefined) yield { kind: 'directory', path: parent, mode: 0o755 };
      seen.set(parent, 'directory');
    }
    const before = seen.get(path);
    if (before !== undefined && !(entry.kind === 'directory' && before === 'directory' && !made.has(path))) {
      throw new ErrandError('workspace/failed', `refused the path ${JSON.stringify(path)}: it came twice`);
    }
    seen.set(path, entry.kind);
    if (entry.kind === 'directory') made.add(path);
    yield tarEntry(entry);
  }
}

function* parentsOf(path: string): Generator<string> {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) yield path.slice(0, at);
}

function through(path: string): ErrandError {
  return new ErrandError(
    'workspace/escape',
    `refused to write into ${JSON.stringify(path)}: it is a file or link of the same workspace, not a directory`,
  );
}

function tarEntry(entry: TreeEntry): TarEntry {
  if (entry.kind === 'directory') return { ...entry, mode: (entry.mode & 0o777) | 0o700 };
  if (entry.kind === 'link') return { kind: 'link', path: entry.path, target: safeLink(entry.path, entry.target) };
  const small = readSmall(entry);
  const mode = (entry.mode & 0o777) | 0o600;
  if (small) return { kind: 'file', path: entry.path, mode, size: small.length, content: () => [small] };
  return { kind: 'file', path: entry.path, mode, size: entry.size, content: () => exactly(entry) };
}

/** Undefined when it must be streamed. Only while it still is the plain file that was listed. */
function readSmall(entry: File): Buffer | undefined {
  if (entry.local === undefined || entry.size > smallRead) return undefined;
  const stats = lstatSync(entry.local, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= smallRead ? readFileSync(entry.local) : undefined;
}

/** The size stands in front of the content already: a file that grew is cut, one that shrank cannot be sent. */
async function* exactly(entry: File): AsyncGenerator<Uint8Array> {
  let left = entry.size;
  for await (const bytes of entry.content()) {
    if (left === 0) break;
    const part = bytes.subarray(0, left);
    left -= part.length;
    yield part;
  }
  if (left > 0) {
    throw new ErrandError('workspace/failed', `tried to send ${entry.path}: it became ${left} bytes shorter meanwhile`, {
      next: 'Run it again when nothing writes to the workspace.',
    });
  }
}
