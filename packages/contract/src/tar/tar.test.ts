import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTar, TarError } from './read.ts';
import { writeTar } from './write.ts';
import type { TarEntry, TarOwner } from './write.ts';

const root: TarOwner = { uid: 0, gid: 0 };

async function archive(entries: readonly TarEntry[], owner = root): Promise<Buffer> {
  async function* all() {
    yield* entries;
  }
  const parts: Uint8Array[] = [];
  for await (const bytes of writeTar(all(), owner)) parts.push(bytes);
  return Buffer.concat(parts);
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Uint8Array, size = 700) {
  const found = [];
  for await (const { content, ...record } of readTar(pieces(bytes, size))) {
    const parts: Uint8Array[] = [];
    for await (const part of content()) parts.push(part);
    found.push({ ...record, text: Buffer.concat(parts).toString() });
  }
  return found;
}

const file = (path: string, text: string, mode = 0o644): TarEntry => {
  const bytes = Buffer.from(text);
  return { kind: 'file', path, mode, size: bytes.length, content: () => [bytes] };
};

test('what goes in comes out: modes, links, long and non-ASCII names', async () => {
  const long = `${'deep/'.repeat(60)}name`;
  const entries: TarEntry[] = [
    { kind: 'directory', path: 'dir', mode: 0o750 },
    file('dir/run.sh', '#!/bin/sh\n', 0o755),
    file(long, 'far away'),
    file('ünïcödé ✓/日本 語.txt', 'x'.repeat(1_000)),
    file('with\nnewline and = sign', ''),
    { kind: 'link', path: 'short', target: 'dir/run.sh' },
    { kind: 'link', path: 'far', target: long },
  ];
  const found = await read(await archive(entries, { uid: 3_000_000, gid: 7 }), 13);
  expect(found).toMatchObject([
    { kind: 'directory', path: 'dir/', mode: 0o750 },
    { kind: 'file', path: 'dir/run.sh', mode: 0o755, text: '#!/bin/sh\n' },
    { kind: 'file', path: long, text: 'far away' },
    { kind: 'file', path: 'ünïcödé ✓/日本 語.txt', text: 'x'.repeat(1_000) },
    { kind: 'file', path: 'with\nnewline and = sign', text: '' },
    { kind: 'link', path: 'short', target: 'dir/run.sh' },
    { kind: 'link', path: 'far', target: long },
  ]);
});

test('any names and contents survive, in any pieces', async () => {
  const path = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
    .filter((one) => !/[\0/]/.test(one) && one.isWellFormed());
  const entry = fc.record({ path, text: fc.string({ maxLength: 2_000 }), mode: fc.integer({ min: 0, max: 0o777 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 8 }), fc.integer({ min: 1, max: 5_000 }), async (entries, size) => {
      const found = await read(await archive(entries.map((one) => file(one.path, one.text, one.mode))), size);
      expect(found.map(({ path: name, text, mode }) => ({ path: name, text, mode }))).toEqual(entries);
    }),
    { numRuns: 150 },
  );
});

test('an archive that was cut anywhere is an error, never a shorter file', async () => {
  const whole = await archive([file('a', 'x'.repeat(3_000)), file('é'.repeat(200), 'y'.repeat(700)), file('c', 'z')]);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1_025 }), async (length) => {
      await expect(read(whole.subarray(0, length))).rejects.toThrow(TarError);
    }),
  );
});

test('rubbish and flipped bits end in an error or in entries, in bounded time and memory', async () => {
  const whole = await archive([file('a', 'x'.repeat(600)), { kind: 'link', path: 'é', target: 'ü' }, file('b', 'y')]);
  const flips = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 6 });
  const broken = flips.map((changes) => {
    const copy = Buffer.from(whole);
    for (const [at, value] of changes) copy[at] = value;
    return copy;
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(broken, fc.uint8Array({ maxLength: 3_000 })), async (bytes) => {
      const found = await read(bytes).catch((error: unknown) => {
        expect(error).toBeInstanceOf(TarError);
        return [];
      });
      for (const one of found) expect(one.text.length).toBeLessThanOrEqual(bytes.length);
    }),
    { numRuns: 400 },
  );
});

test('a size that was only claimed is not reserved', async () => {
  const head = Buffer.from((await archive([file('a', '')])).subarray(0, 512));
  const claim = (bytes: Buffer, size: string) => {
    bytes.write(size.padStart(11, '0'), 124, 'latin1');
    bytes.fill(0x20, 148, 156);
    const sum = bytes.reduce((all, byte) => all + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    return bytes;
  };
  await expect(read(claim(Buffer.from(head), '77777777777'))).rejects.toThrow('middle of an entry');
  const pax = Buffer.from(head);
  pax.write('x', 156);
  await expect(read(claim(pax, '77777777777'))).rejects.toThrow('too long');
});

test('names that lead elsewhere are given as they are, for the caller to refuse', async () => {
  const found = await read(
    await archive([file('../up', ''), file('/etc/passwd', ''), { kind: 'link', path: 'l', target: '/etc' }]),
  );
  expect(found.map((one) => one.path)).toEqual(['../up', '/etc/passwd', 'l']);
});

test('content that is asked for too late is refused; content that nobody reads is skipped', async () => {
  const records = [];
  for await (const record of readTar(pieces(await archive([file('a', 'x'.repeat(5_000)), file('b', 'y')]), 100)))
    records.push(record);
  expect(records.map((one) => one.path)).toEqual(['a', 'b']);
  await expect(records[0]?.content().next()).rejects.toThrow(TarError);
});
