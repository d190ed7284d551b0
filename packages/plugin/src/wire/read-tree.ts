import { safePath } from '@errand/contract';
import type { TreeEntry } from '@errand/contract';
import type { TreeBatch, TreeEntry as TreeEntryMessage, TreeItem } from '../gen/errand/v1/tree_pb.js';
import { Malformed } from './malformed.ts';

/**
 * The entries of a stream of batches. A file's content comes between its entry and the next one, so it can be read
 * only until the next entry is asked for; what was not read by then is passed over.
 */
export async function* readTree(
  batches: AsyncIterable<TreeBatch>,
  checkLink: (path: string, target: string) => string,
): AsyncGenerator<TreeEntry, void, undefined> {
  const items = itemsOf(batches);
  try {
    for (;;) {
      const { value, done } = await items.next();
      if (done) return;
      if (value.item.case !== 'entry') throw new Malformed('content came without a file');
      const message = value.item.value;
      if (message.kind.case !== 'file') {
        yield readEntry(message, checkLink);
        continue;
      }
      const content = createContent(items, message.path);
      const { mode, size } = message.kind.value;
      yield { kind: 'file', path: safePath(message.path), mode, size: Number(size), content: () => content.read() };
      await content.skip();
    }
  } finally {
    await items.return();
  }
}

async function* itemsOf(batches: AsyncIterable<TreeBatch>): AsyncGenerator<TreeItem, void, undefined> {
  for await (const batch of batches) yield* batch.items;
}

function readEntry({ path, kind }: TreeEntryMessage, checkLink: (path: string, target: string) => string): TreeEntry {
  if (kind.case === 'directory') return { kind: 'directory', path: safePath(path), mode: kind.value.mode };
  if (kind.case === 'link') return { kind: 'link', path: safePath(path), target: checkLink(path, kind.value.target) };
  throw new Malformed(`the entry ${JSON.stringify(path)} is of no known kind`);
}

function createContent(items: AsyncGenerator<TreeItem, void, undefined>, path: string) {
  let state: 'unread' | 'open' | 'over' = 'unread';

  async function next(): Promise<Uint8Array | undefined> {
    const { value, done } = await items.next();
    if (done) throw new Malformed(`the stream ends inside ${JSON.stringify(path)}`);
    if (value.item.case === 'content') return value.item.value;
    state = 'over';
    if (value.item.case !== 'fileEnd') throw new Malformed(`the content of ${JSON.stringify(path)} has no end`);
    return undefined;
  }

  const isOver = () => state === 'over';

  return {
    async *read(): AsyncGenerator<Uint8Array, void, undefined> {
      if (state !== 'unread') throw new Error(`the content of ${path} was read before, or not in its turn`);
      state = 'open';
      for (let bytes = await next(); bytes; bytes = await next()) {
        yield bytes;
        if (isOver()) throw new Error(`the content of ${path} was read after the next entry was asked for`);
      }
    },
    async skip(): Promise<void> {
      while (state !== 'over') await next();
    },
  };
}
