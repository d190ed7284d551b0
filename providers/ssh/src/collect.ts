import { ErrandError, pathMatcher, safePath } from '@errand/contract';
import type { Ask, TreeEntry } from '@errand/contract';
import { readTar, TarError } from '@errand/contract/tar';
import type { TarRecord } from '@errand/contract/tar';
import { answerError, answerOf } from './answer.ts';
import type { Channel } from './client.ts';
import type { PlaceState } from './layout.ts';
import { patiently } from './patience.ts';
import { quote } from './quote.ts';
import { connectionError, reporting } from './remote.ts';
import type { Remote } from './remote.ts';

/** How the far side's tar ends when there was nothing to put in. */
const nothing = 77;
/** Milliseconds for which a line that is cut before the first file is begun anew. */
const patience = 10_000;

/** Links are given as links. A file's content must be read before the next entry is asked for. */
export async function* collect(
  remote: Remote,
  state: PlaceState,
  patterns: readonly string[],
  ask: Ask,
): AsyncGenerator<TreeEntry> {
  const matches = pathMatcher(patterns);
  const tried = `tried to collect from the place ${state.place}`;
  try {
    for await (const record of archive(remote, state, startsOf(patterns), ask)) {
      const path = record.path?.replace(/^\.\//, '').replace(/\/$/, '');
      if (path === undefined) ask.log(`skipped a file of the place ${state.place}: its name is no UTF-8`);
      else if (record.kind !== 'directory' && matches(path)) {
        const entry = entryOf(safePath(path), record);
        if (record.kind === 'hard-link') yield* linked(remote, state, path, ask);
        else if (entry) yield entry;
        else ask.log(`skipped ${JSON.stringify(path)}: it is neither a file nor a link`);
      }
    }
  } catch (error) {
    ask.signal.throwIfAborted();
    if (!(error instanceof TarError)) throw answerError(tried, connectionError(remote.target, error));
    throw new ErrandError('workspace/failed', `${tried}: the archive cannot be read: ${error.message}`, { cause: error });
  }
}

async function* archive(remote: Remote, state: PlaceState, starts: readonly string[], ask: Ask): AsyncGenerator<TarRecord> {
  const { signal } = ask;
  await using begun = await patiently(() => begin(remote, state, starts, signal), signal, patience);
  const { channel, first, rest } = begun;
  try {
    if (first.done && (await channel.exit) === nothing) return;
    yield* readTar(withFirst(first, rest));
    // An archive is padded behind its end.
    for (let more = await rest.next(); !more.done;) more = await rest.next();
    // What remains are files that somebody changed or locked meanwhile; the rest is whole.
    const code = await channel.exit;
    if (code !== 0) ask.log(`some files of the place ${state.place} could not be read`);
  } catch (error) {
    // A cut looks like the archive's end.
    if (error instanceof TarError) await channel.exit;
    throw error;
  }
}

interface Begun extends AsyncDisposable {
  readonly channel: Channel;
  readonly first: IteratorResult<Uint8Array>;
  readonly rest: AsyncIterator<Uint8Array>;
}

/** Up to the first bytes a cut can be passed over: nobody has seen anything yet. */
function begin(remote: Remote, state: PlaceState, starts: readonly string[], signal: AbortSignal): Promise<Begun> {
  return reporting(remote.target, async () => {
    const channel = await remote.open('collect', [state.owner, state.place], signal);
    const abort = () => void channel[Symbol.asyncDispose]();
    signal.addEventListener('abort', abort, { once: true });
    const close = async () => {
      signal.removeEventListener('abort', abort);
      await channel[Symbol.asyncDispose]();
    };
    try {
      const words = starts.map((path) => quote(path === '.' ? path : `./${path}`));
      await channel.write(Buffer.from(`set -- ${words.join(' ')}\n#errand-end`));
      channel.end();
      const rest = answerOf(channel)[Symbol.asyncIterator]();
      const first = await rest.next();
      // Nothing at all: either there is nothing, or the line was cut, and then there is no exit either.
      if (first.done) await channel.exit;
      return { channel, first, rest, [Symbol.asyncDispose]: close };
    } catch (error) {
      await close();
      throw error;
    }
  });
}

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}

/** Where the patterns can lead to: their directories up to the first wildcard. One of the rest needs all of it. */
function startsOf(patterns: readonly string[]): string[] {
  const starts = patterns.map((pattern) => {
    const parts = pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/');
    const wild = parts.findIndex((part) => /[*?[\]{}()!+@\\]/.test(part));
    return (wild === -1 ? parts : parts.slice(0, wild)).join('/');
  });
  const all = [...new Set(starts)];
  if (all.some((start) => start === '' || start === '.')) return ['.'];
  return all.filter((start) => !all.some((other) => start.startsWith(`${other}/`)));
}

function entryOf(path: string, record: TarRecord): TreeEntry | undefined {
  if (record.kind === 'link') return record.target === undefined ? undefined : { kind: 'link', path, target: record.target };
  if (record.kind === 'file')
    return { kind: 'file', path, mode: record.mode & 0o777, size: record.size, content: record.content };
  return undefined;
}

/** A second name of a file comes without its content, so that is asked for by itself. */
async function* linked(remote: Remote, state: PlaceState, path: string, ask: Ask): AsyncGenerator<TreeEntry> {
  for await (const record of archive(remote, state, [path], ask)) {
    const entry = record.kind === 'file' ? entryOf(path, record) : undefined;
    if (entry) yield entry;
  }
}
