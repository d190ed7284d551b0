import { ErrandError, pathMatcher, safePath } from '@errand/contract';
import type { Ask, TreeEntry } from '@errand/contract';
import { readTar, TarError } from '@errand/contract/tar';
import type { TarRecord } from '@errand/contract/tar';
import { answerError, answerIn } from './answer.ts';
import type { PlaceState } from './layout.ts';
import { quote } from './quote.ts';
import { connectionError } from './remote.ts';
import type { Remote } from './remote.ts';

/** How the far side's tar ends when there was nothing to put in. */
const nothing = 77;

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
  await using channel = await remote.open('collect', [state.owner, state.place], ask.signal);
  const abort = () => void channel[Symbol.asyncDispose]();
  ask.signal.addEventListener('abort', abort, { once: true });
  try {
    await channel.write(
      Buffer.from(`set -- ${starts.map((path) => quote(path === '.' ? path : `./${path}`)).join(' ')}\n#errand-end`),
    );
    channel.end();
    const bytes = answerIn(channel.stdout)[Symbol.asyncIterator]();
    const first = await bytes.next();
    if (first.done && (await channel.exit) === nothing) return;
    yield* readTar(withFirst(first, bytes));
    // An archive is padded behind its end.
    for (let rest = await bytes.next(); !rest.done;) rest = await bytes.next();
    // What remains are files that somebody changed or locked meanwhile; the rest is whole.
    const code = await channel.exit;
    if (code !== 0) ask.log(`some files of the place ${state.place} could not be read`);
  } catch (error) {
    // A cut looks like the archive's end.
    if (error instanceof TarError) await channel.exit;
    throw error;
  } finally {
    ask.signal.removeEventListener('abort', abort);
  }
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
