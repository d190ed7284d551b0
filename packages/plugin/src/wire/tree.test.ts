import { create, fromBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeLink } from '@errand/contract';
import type { TreeEntry } from '@errand/contract';
import { TreeBatchSchema, TreeItemSchema } from '../gen/errand/v1/tree_pb.js';
import type { TreeBatch } from '../gen/errand/v1/tree_pb.js';
import { encode } from './definition.ts';
import { batchBytes, messageBytes } from './limits.ts';
import { Malformed } from './malformed.ts';
import { readTree } from './read-tree.ts';
import { treeBatches } from './send-tree.ts';

interface Flat {
  readonly kind: string;
  readonly path: string;
  readonly content?: Buffer;
}

function file(path: string, parts: readonly Uint8Array[]): TreeEntry {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return {
    kind: 'file',
    path,
    mode: 0o640,
    size,
    async *content() {
      yield* parts;
    },
  };
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

/** Over the wire and back, with every message measured. */
async function* carried(entries: Iterable<TreeEntry>): AsyncGenerator<TreeBatch> {
  for await (const batch of treeBatches(each(entries))) {
    const bytes = encode(TreeBatchSchema, batch);
    expect(bytes.length).toBeLessThan(messageBytes);
    yield fromBinary(TreeBatchSchema, bytes);
  }
}

async function flatten(entries: AsyncIterable<TreeEntry>, wanted: (path: string) => boolean = () => true): Promise<Flat[]> {
  const found: Flat[] = [];
  for await (const entry of entries) {
    if (entry.kind !== 'file' || !wanted(entry.path)) found.push({ kind: entry.kind, path: entry.path });
    else {
      const parts: Uint8Array[] = [];
      for await (const part of entry.content()) parts.push(part);
      found.push({ kind: 'file', path: entry.path, content: Buffer.concat(parts) });
    }
  }
  return found;
}

const name = fc.stringMatching(/^[a-zé日]{1,12}$/u);
const entry: fc.Arbitrary<TreeEntry> = fc.oneof(
  name.map((path): TreeEntry => ({ kind: 'directory', path, mode: 0o755 })),
  fc.tuple(name, name).map(([path, target]): TreeEntry => ({ kind: 'link', path, target })),
  fc.tuple(name, fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 })).map(([path, parts]) => file(path, parts)),
);

test('a tree arrives as it was sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 30 }), async (entries) => {
      expect(await flatten(readTree(carried(entries), safeLink))).toEqual(await flatten(each(entries)));
    }),
    { numRuns: 100 },
  );
});

test('a file of many messages arrives whole, and what is not read is passed over', async () => {
  const big = Buffer.alloc(batchBytes * 5 + 3, 'xyz');
  const entries = [file('a', [big, big]), file('b', [Buffer.from('small')]), file('c', [big])];
  expect(await flatten(readTree(carried(entries), safeLink))).toEqual(await flatten(each(entries)));
  const some = await flatten(readTree(carried(entries), safeLink), (path) => path === 'b');
  expect(some.map((one) => one.content?.toString())).toEqual([undefined, 'small', undefined]);
});

test('small files share messages', async () => {
  const entries = Array.from({ length: 10_000 }, (_, index) => file(`f${index}`, [Buffer.from('x')]));
  let messages = 0;
  for await (const batch of carried(entries)) messages += batch.items.length > 0 ? 1 : 0;
  expect(messages).toBeLessThan(20);
});

test('content out of its turn is an error, never the content of another file', async () => {
  const kept: TreeEntry[] = [];
  for await (const one of readTree(carried([file('a', [Buffer.from('1')]), file('b', [Buffer.from('2')])]), safeLink)) {
    kept.push(one);
  }
  const [first] = kept;
  if (first?.kind !== 'file') throw new Error('no file');
  await expect(flatten(each([first]))).rejects.toThrow('not in its turn');
});

test.each([
  ['../escape', 'workspace/escape'],
  ['/etc/passwd', 'workspace/escape'],
  ['a//b', 'workspace/escape'],
])('the path %s is refused', async (path, code) => {
  await expect(flatten(readTree(carried([file(path, [])]), safeLink))).rejects.toMatchObject({ code });
  await expect(flatten(readTree(carried([{ kind: 'directory', path, mode: 0 }]), safeLink))).rejects.toMatchObject({ code });
  await expect(flatten(readTree(carried([{ kind: 'link', path: 'l', target: '/etc' }]), safeLink))).rejects.toMatchObject({
    code,
  });
});

test('any sequence of items is a tree or a malformed one, and ends', async () => {
  const items = fc.constantFrom<MessageInitShape<typeof TreeItemSchema>>(
    { item: { case: 'content', value: Buffer.from('x') } },
    { item: { case: 'fileEnd', value: {} } },
    { item: { case: 'entry', value: { path: 'f', kind: { case: 'file', value: { mode: 1, size: 1n } } } } },
    { item: { case: 'entry', value: { path: 'd', kind: { case: 'directory', value: { mode: 1 } } } } },
    { item: { case: 'entry', value: { path: 'e' } } },
    {},
  );
  await fc.assert(
    fc.asyncProperty(fc.array(items, { maxLength: 12 }), async (sent) => {
      const tree = readTree(
        each([create(TreeBatchSchema, { items: sent.map((item) => create(TreeItemSchema, item)) })]),
        safeLink,
      );
      const error: unknown = await flatten(tree).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error === undefined || error instanceof Malformed).toBe(true);
    }),
    { numRuns: 500 },
  );
});
