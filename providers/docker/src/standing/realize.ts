// Filling the workspace of a container that is up. The files go beside the old ones, into a hidden directory, and the shim
// changes them over when all are there (shim/swap.c); the next start clears away what was never changed over.
import { ErrandError } from '@errand/contract';
import type { Call, TreeEntry } from '@errand/contract';
import type { Engine } from '../client.ts';
import { hasStatus, trying } from '../errors.ts';
import { newTag, passFence, standingPlace } from '../place.ts';
import { packTree, writeTar } from '@errand/contract/tar';
import type { TarEntry } from '@errand/contract/tar';
import { ownerOf } from '../user.ts';
import { standingName } from './container.ts';
import { shimPath } from './lines.ts';

const incoming = '.errand-incoming';

export const isIncoming = (path: string) => path === incoming || path.startsWith(`${incoming}/`);

/** False, before any file was read, when no container is up for the workspace: then it is filled like any other. */
export async function realizeInside(engine: Engine, name: string, files: AsyncIterable<TreeEntry>, call: Call): Promise<boolean> {
  const { signal } = call;
  const place = await standingPlace(engine, name, signal);
  await passFence(engine, place, call.epoch, signal);
  if (place.settings === '' || place.fixed) return false;
  const tried = `tried to fill the workspace of the place ${place.key}`;
  const container = await trying(engine, tried, () => engine.container(standingName(place), signal));
  if (container?.status !== 'running') return false;
  const tag = newTag();
  const said = await trying(engine, tried, async () => {
    const owner = await ownerOf(engine, container.id, place.user, signal);
    await engine.putArchive(container.id, place.workdir, writeTar(below(tag, packTree(files, signal)), owner), signal);
    // Looked at again just before the files become visible: a new holder may have come while they were sent.
    await passFence(engine, await standingPlace(engine, name, signal), call.epoch, signal);
    return wordsOf(engine, container.id, [shimPath, 'swap', place.workdir, tag, String(call.epoch)], signal);
  });
  if (said === 'done') return true;
  if (said === 'fenced') {
    throw new ErrandError('provider/fenced', `${tried}: a newer holder has the place`, {
      next: 'Another Errand process has taken over; let it go on.',
    });
  }
  // The container may have ended in the middle; the whole is repeated then.
  throw new ErrandError('provider/failed', `${tried}: the new files could not take the place of the old ones`, {
    retry: 'later',
  });
}

async function* below(tag: string, entries: AsyncIterable<TarEntry>): AsyncGenerator<TarEntry> {
  yield { kind: 'directory', path: incoming, mode: 0o700 };
  yield { kind: 'directory', path: `${incoming}/${tag}`, mode: 0o700 };
  for await (const entry of entries) yield { ...entry, path: `${incoming}/${tag}/${entry.path}` };
}

async function wordsOf(engine: Engine, id: string, argv: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    const line = await engine.execute(id, argv, signal);
    const end = () => line.close();
    signal.addEventListener('abort', end);
    const parts: Uint8Array[] = [];
    try {
      for await (const bytes of line.output) parts.push(bytes);
    } catch {
      // A line that broke has said nothing, and the whole is repeated.
    } finally {
      signal.removeEventListener('abort', end);
    }
    signal.throwIfAborted();
    return Buffer.concat(parts).toString();
  } catch (error) {
    if (hasStatus(error, 404) || hasStatus(error, 409)) return '';
    throw error;
  }
}
