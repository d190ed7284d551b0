import { ErrandError, pathMatcher, safePath } from '@errand/contract';
import type { Ask, TreeEntry } from '@errand/contract';
import type { Engine } from './client.ts';
import { engineError } from './errors.ts';
import { mountPoint, openMounted } from './mounted.ts';
import { standingPlace } from './place.ts';
import { isIncoming } from './standing/realize.ts';
import { readTar, TarError } from '@errand/contract/tar';
import type { TarRecord } from '@errand/contract/tar';

/** Links are given as links. A file's content must be read before the next entry is asked for. */
export async function* collect(engine: Engine, name: string, patterns: readonly string[], ask: Ask): AsyncGenerator<TreeEntry> {
  const matches = pathMatcher(patterns);
  const place = await standingPlace(engine, name, ask.signal);
  if (patterns.length === 0) return;
  const tried = `tried to collect from the place ${place.key}`;
  const mounted = await openMounted(engine, place, place.work, ask);
  try {
    const archive = await engine.getArchive(mounted.container, mountPoint, ask.signal);
    if (!archive) throw new ErrandError('workspace/failed', `${tried}: its workspace is not there any more`);
    for await (const record of readTar(archive)) {
      ask.signal.throwIfAborted();
      const path = pathOf(record);
      if (path === undefined) ask.log(`skipped a file of the place ${place.key}: its name is no UTF-8`);
      else if (record.kind !== 'directory' && matches(path) && !isIncoming(path)) {
        const entry = entryOf(safePath(path), record);
        if (record.kind === 'hard-link') yield* linked(engine, mounted.container, path, ask);
        else if (entry) yield entry;
        else ask.log(`skipped ${JSON.stringify(path)}: it is neither a file nor a link`);
      }
    }
  } catch (error) {
    if (!(error instanceof TarError)) throw engineError(engine.address, tried, error);
    throw new ErrandError('workspace/failed', `${tried}: the engine’s archive cannot be read: ${error.message}`, {
      cause: error,
    });
  } finally {
    await mounted.close();
  }
}

/** The archive's names begin with the directory itself. Undefined when the name cannot be written down. */
function pathOf(record: TarRecord): string | undefined {
  const slash = record.path?.indexOf('/') ?? -1;
  return record.path === undefined ? undefined : record.path.slice(slash === -1 ? record.path.length : slash + 1);
}

function entryOf(path: string, record: TarRecord): TreeEntry | undefined {
  if (record.kind === 'link') return record.target === undefined ? undefined : { kind: 'link', path, target: record.target };
  if (record.kind === 'file')
    return { kind: 'file', path, mode: record.mode & 0o777, size: record.size, content: record.content };
  return undefined;
}

/** A second name of a file comes without its content, so that is asked for by itself. */
async function* linked(engine: Engine, container: string, path: string, ask: Ask): AsyncGenerator<TreeEntry> {
  const archive = await engine.getArchive(container, `${mountPoint}/${path}`, ask.signal);
  if (!archive) return;
  for await (const record of readTar(archive)) {
    const entry = record.kind === 'file' ? entryOf(path, record) : undefined;
    if (entry) yield entry;
  }
}
