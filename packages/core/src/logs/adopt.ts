// Large chunks that lie in a file of this machine already are not copied into the log: the file is hard-linked beside
// the segment once, under a name of its own for each epoch and stream, and frames refer to it.
import { link, stat, unlink } from 'node:fs/promises';
import type { LocalBytes, Stream } from '@errand/contract';
import { openSegment } from './file-segment.ts';

/** Less is no reason to link the file, so that small logs stay one file. */
const worthLinking = 64 * 1024;
/** Once it is linked. Below this, reading through references one by one would cost more than the copy saves. */
const worthReferring = 16 * 1024;

export interface Adoption {
  /** The offset of these bytes in the stream's raw file; undefined when they have to be copied. Never rejects. */
  offer(stream: Stream, bytes: Uint8Array, source: LocalBytes | undefined): Promise<number | undefined>;
}

/** For one writer. The directory must be there when something is offered. */
export function createAdoption(rawPath: (stream: Stream) => string): Adoption {
  /** Whose file each stream has linked; `null` when it cannot be linked and need not be tried again. */
  const linked = new Map<Stream, string | null>();
  return {
    async offer(stream, bytes, source) {
      if (!source || bytes.length < (linked.has(stream) ? worthReferring : worthLinking)) return undefined;
      if (!linked.has(stream)) {
        const done = await adopt(rawPath(stream), bytes, source).catch(() => false);
        linked.set(stream, done ? source.path : null);
      }
      return linked.get(stream) === source.path ? source.offset : undefined;
    },
  };
}

/**
 * False when the bytes cannot be had that way: another file system, no more links allowed, the source gone meanwhile,
 * or its name given to another file. Therefore the first bytes are read back and compared, once.
 */
async function adopt(path: string, bytes: Uint8Array, source: LocalBytes): Promise<boolean> {
  const made = await link(source.path, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  // There already when the same watcher opens its log twice.
  if (!made && !(await isSameFile(source.path, path))) return false;
  await using raw = await openSegment(path);
  if (raw && (await raw.read(source.offset, bytes.length)).equals(bytes)) return true;
  if (made) await unlink(path);
  return false;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one), stat(other)]);
  return a.dev === b.dev && a.ino === b.ino;
}
