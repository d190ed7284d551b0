// Filling a workspace. The files go into a new volume, which becomes the workspace when all of them are there; so a
// half-done realize is never seen, and a repeated one gives the same workspace.
import { lstatSync, readFileSync } from 'node:fs';
import { basename } from 'node:path/posix';
import { ErrandError, safeLink, safePath } from '@errand/contract';
import type { Ask, Call, TreeEntry } from '@errand/contract';
import type { Engine } from './client.ts';
import { trying } from './errors.ts';
import { label } from './layout.ts';
import { mountPoint, withMounted } from './mounted.ts';
import { labelsIn, makeCurrent, newTag, passFence, standingPlace } from './place.ts';
import type { Place } from './place.ts';
import { writeTar } from './tar/write.ts';
import type { TarEntry, TarOwner } from './tar/write.ts';
import { isRoot, ownerOf } from './user.ts';

type File = Extract<TreeEntry, { kind: 'file' }>;

/** Below this a blocking read is over sooner than a thread could begin one. */
const smallRead = 256 * 1024;

export async function realize(engine: Engine, name: string, files: AsyncIterable<TreeEntry>, call: Call): Promise<void> {
  const place = await standingPlace(engine, name, call.signal);
  await passFence(engine, place, call.epoch, call.signal);
  const work = `${name}.work-${newTag()}`;
  const tried = `tried to fill the workspace of the place ${place.key}`;
  let mayBeCurrent = false;
  try {
    await trying(engine, tried, async () => {
      await engine.createVolume(work, labelsIn(place, 'work'), call.signal);
      await fill(engine, place, work, files, call);
      // Looked at again just before the files become visible: a new holder may have come while they were sent.
      const now = await standingPlace(engine, name, call.signal);
      await passFence(engine, now, call.epoch, call.signal);
      mayBeCurrent = true;
      await makeCurrent(engine, now, work, call.signal);
    });
  } catch (error) {
    // A switch whose answer was lost may have happened; then the place would be without its workspace.
    if (!mayBeCurrent) await engine.removeVolume(work, AbortSignal.timeout(30_000)).catch(() => undefined);
    throw error;
  }
  await removeFormer(engine, place, call.signal);
}

/** What a finished job still has mounted stays until the release. */
async function removeFormer(engine: Engine, place: Place, signal: AbortSignal): Promise<void> {
  for (const { name, labels } of place.volumes) {
    if (labels[label.role] === 'current' || labels[label.role] === 'work')
      await engine.removeVolume(name, signal).catch(() => undefined);
  }
}

async function fill(engine: Engine, place: Place, work: string, files: AsyncIterable<TreeEntry>, call: Call): Promise<void> {
  await withMounted(engine, place, work, call, async (container) => {
    const owner = await ownerOf(engine, container, place.user, call.signal);
    if (!isRoot(place.user)) await giveTo(engine, container, owner, call.signal);
    await engine.putArchive(container, mountPoint, writeTar(checked(files, call.signal), owner), call.signal);
  });
}

/** A job of another user than root must be able to write into its workspace, which the engine makes as root's. */
export async function ownWorkspace(engine: Engine, place: Place, ask: Ask): Promise<void> {
  if (isRoot(place.user)) return;
  await withMounted(engine, place, place.work, ask, async (container) => {
    await giveTo(engine, container, await ownerOf(engine, container, place.user, ask.signal), ask.signal);
  });
}

/** The directory itself, from the one above it: an engine leaves the directory that it unpacks into as it is. */
async function giveTo(engine: Engine, container: string, owner: TarOwner, signal: AbortSignal): Promise<void> {
  async function* top(): AsyncGenerator<TarEntry> {
    yield { kind: 'directory', path: basename(mountPoint), mode: 0o755 };
  }
  await engine.putArchive(container, '/', writeTar(top(), owner), signal);
}

/** Refuses what leads out of the workspace, or through a link or file of it, and puts in the directories that are not named. */
export async function* checked(files: AsyncIterable<TreeEntry>, signal: AbortSignal): AsyncGenerator<TarEntry> {
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
