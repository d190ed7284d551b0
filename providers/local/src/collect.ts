import { chmodSync, constants, createReadStream, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { ErrandError, pathMatcher } from '@errand/contract';
import type { Ask, TreeEntry } from '@errand/contract';
import { codeOf, isAbsent } from './files.ts';

/** Links are given as links. */
export async function* collect(work: string, patterns: readonly string[], ask: Ask): AsyncGenerator<TreeEntry> {
  if (!lstatSync(work, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ErrandError('workspace/failed', `tried to collect from ${work}: it is not a directory any more`);
  }
  const matches = pathMatcher(patterns);

  function* walk(below: string): Generator<TreeEntry> {
    for (const name of namesOf(join(work, below))) {
      ask.signal.throwIfAborted();
      const path = below === '' ? name : `${below}/${name}`;
      const stats = statsOf(join(work, path));
      if (!stats) ask.log(`skipped ${JSON.stringify(path)}: it cannot be looked at`);
      else if (stats.isDirectory()) yield* walk(path);
      else if (matches(path)) {
        const entry = entryOf(work, path, stats);
        if (entry) yield entry;
        else ask.log(`skipped ${JSON.stringify(path)}: it is neither a file nor a link`);
      }
    }
  }
  yield* walk('');
}

function entryOf(work: string, path: string, stats: Stats): TreeEntry | undefined {
  const full = join(work, path);
  if (stats.isSymbolicLink()) return { kind: 'link', path, target: readlinkSync(full) };
  if (!stats.isFile()) return undefined;
  // The place is ours: what a job closed against itself is opened for reading, and told as it was.
  if ((stats.mode & 0o400) === 0) chmodSync(full, (stats.mode & 0o777) | 0o400);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  return {
    kind: 'file',
    path,
    mode: stats.mode & 0o777,
    size: stats.size,
    local: full,
    // No more than was announced, even when somebody is still writing to it.
    content: () =>
      stats.size === 0 ? nothing() : createReadStream(full, { flags: flags as unknown as string, end: stats.size - 1 }),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** In a fixed order, so that two collects of the same files give the same list. */
function namesOf(dir: string): string[] {
  try {
    return readdirSync(dir).toSorted();
  } catch (error) {
    if (isAbsent(error)) return [];
    if (codeOf(error) !== 'EACCES' || (lstatSync(dir).mode & 0o500) === 0o500) throw error;
    chmodSync(dir, 0o700);
    return readdirSync(dir).toSorted();
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
