import type { MessageInitShape } from '@bufbuild/protobuf';
import type { TreeEntry } from '@errand/contract';
import type { TreeBatchSchema, TreeEntrySchema, TreeItemSchema } from '../gen/errand/v1/tree_pb.js';
import { batchBytes } from './limits.ts';

type Batch = MessageInitShape<typeof TreeBatchSchema>;
type Item = MessageInitShape<typeof TreeItemSchema>;

/** What an item takes beside its path or content, roughly. */
const overhead = 32;

/** Many small files share a batch; a big one takes as many as it needs, each sent before the next part is read. */
export async function* treeBatches(entries: AsyncIterable<TreeEntry>): AsyncGenerator<Batch, void, undefined> {
  let items: Item[] = [];
  let weight = 0;
  for await (const item of itemsOf(entries)) {
    items.push(item);
    weight += weightOf(item);
    if (weight < batchBytes) continue;
    yield { items };
    items = [];
    weight = 0;
  }
  if (items.length > 0) yield { items };
}

async function* itemsOf(entries: AsyncIterable<TreeEntry>): AsyncGenerator<Item, void, undefined> {
  for await (const entry of entries) {
    yield { item: { case: 'entry', value: sendEntry(entry) } };
    if (entry.kind !== 'file') continue;
    for await (const bytes of entry.content()) {
      for (let at = 0; at < bytes.length; at += batchBytes) {
        yield { item: { case: 'content', value: bytes.subarray(at, at + batchBytes) } };
      }
    }
    yield { item: { case: 'fileEnd', value: {} } };
  }
}

function sendEntry(entry: TreeEntry): MessageInitShape<typeof TreeEntrySchema> {
  const { path } = entry;
  switch (entry.kind) {
    case 'directory':
      return { path, kind: { case: 'directory', value: { mode: entry.mode } } };
    case 'file':
      return { path, kind: { case: 'file', value: { mode: entry.mode, size: BigInt(entry.size) } } };
    case 'link':
      return { path, kind: { case: 'link', value: { target: entry.target } } };
  }
}

function weightOf({ item }: Item): number {
  if (item?.case === 'content') return overhead + item.value.length;
  return overhead + (item?.case === 'entry' ? (item.value.path?.length ?? 0) : 0);
}
