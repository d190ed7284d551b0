// Filling a workspace. The files are put together beside it and renamed into view, so a half-done realize is never
// seen and a repeated one gives the same workspace. What was in the workspace before is replaced.
import { randomBytes } from 'node:crypto';
import { chmodSync, constants, copyFileSync, lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrandError, safeLink, safePath } from '@errand/contract';
import type { TreeEntry } from '@errand/contract';
import { codeOf, fileError } from './files.ts';
import { removeTree } from './remove.ts';

type File = Extract<TreeEntry, { kind: 'file' }>;

/** Below this a blocking copy is over sooner than a thread could begin one. */
const smallCopy = 256 * 1024;
const draftName = /^work\.(new|old)-/;

export async function realize(
  dir: string,
  files: AsyncIterable<TreeEntry>,
  checkFence: () => void,
  signal: AbortSignal,
): Promise<void> {
  for (const name of readdirSync(dir)) if (draftName.test(name)) await removeTree(join(dir, name));
  const tag = randomBytes(6).toString('hex');
  const draft = join(dir, `work.new-${tag}`);
  try {
    mkdirSync(draft, { mode: 0o700 });
    const parents = createParents(draft);
    for await (const entry of files) {
      signal.throwIfAborted();
      await put(draft, parents, entry);
    }
    checkFence();
    await show(dir, draft, tag);
  } catch (error) {
    await removeTree(draft).catch(() => undefined);
    throw fileError(`tried to fill the workspace ${dir}`, error);
  }
}

/** An empty workspace is replaced in one step; a full one is moved aside first. */
async function show(dir: string, draft: string, tag: string): Promise<void> {
  const work = join(dir, 'work');
  try {
    renameSync(draft, work);
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOTDIR') throw error;
    const old = join(dir, `work.old-${tag}`);
    renameSync(work, old);
    renameSync(draft, work);
    await removeTree(old);
  }
}

async function put(root: string, parents: Parents, entry: TreeEntry): Promise<void> {
  const path = join(root, safePath(entry.path));
  parents.make(entry.path.split('/').slice(0, -1));
  try {
    if (entry.kind === 'directory') {
      parents.make(entry.path.split('/'));
      chmodSync(path, (entry.mode & 0o777) | 0o700);
    } else if (entry.kind === 'link') symlinkSync(safeLink(entry.path, entry.target), path);
    else await putFile(path, entry);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new ErrandError('workspace/failed', `refused the path ${JSON.stringify(entry.path)}: it came twice`);
  }
}

async function putFile(path: string, entry: File): Promise<void> {
  const mode = (entry.mode & 0o777) | 0o600;
  // Only while it still is the plain file that was listed: copying would follow a link that took its place.
  if (entry.local !== undefined && lstatSync(entry.local, { throwIfNoEntry: false })?.isFile()) {
    const how = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
    if (entry.size <= smallCopy) copyFileSync(entry.local, path, how);
    else await copyFile(entry.local, path, how);
    chmodSync(path, mode);
    return;
  }
  await using file = await open(path, 'wx', 0o600);
  for await (const bytes of entry.content()) await file.writeFile(bytes);
  await file.chmod(mode);
}

interface Parents {
  make(parts: readonly string[]): void;
}

/** Makes directories and refuses to go through anything else, such as a link that came earlier. */
function createParents(root: string): Parents {
  const known = new Set<string>();
  return {
    make(parts) {
      for (let depth = 1; depth <= parts.length; depth++) {
        const path = parts.slice(0, depth).join('/');
        if (known.has(path)) continue;
        try {
          mkdirSync(join(root, path), { mode: 0o755 });
        } catch (error) {
          if (codeOf(error) !== 'EEXIST') throw error;
          if (!lstatSync(join(root, path)).isDirectory()) {
            throw new ErrandError(
              'workspace/escape',
              `refused to write into ${JSON.stringify(path)}: it is a file or link of the same workspace, not a directory`,
              { cause: error },
            );
          }
        }
        known.add(path);
      }
    },
  };
}
