// Archives that nobody's tar would write. Whatever they say, the reader ends, in bounded memory, with records or a TarError.
import { safeLink, safePath } from '@errand/contract';
import * as fc from 'fast-check';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { readTar, TarError } from './read.ts';

const block = 512;

interface Fields {
  readonly name: Buffer;
  readonly size: Buffer;
  readonly mode: Buffer;
  readonly type: number;
  readonly target: Buffer;
  readonly magic: string;
  readonly prefix: Buffer;
}

/** With the checksum right, so that what is behind it is reached. */
function header(fields: Fields): Buffer {
  const head = Buffer.alloc(block);
  fields.name.copy(head, 0, 0, 100);
  fields.mode.copy(head, 100, 0, 8);
  fields.size.copy(head, 124, 0, 12);
  head.fill(0x20, 148, 156);
  head[156] = fields.type;
  fields.target.copy(head, 157, 0, 100);
  head.write(fields.magic, 257, 'latin1');
  fields.prefix.copy(head, 345, 0, 155);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}

const padded = (body: Buffer) => Buffer.concat([body, Buffer.alloc((block - (body.length % block)) % block)]);
const octal = (value: number, width: number) => Buffer.from(`${value.toString(8).padStart(width - 1, '0')}\0`);

const hostileName = fc.oneof(
  fc.constantFrom(
    'a',
    'a/b',
    '../up',
    '/etc/passwd',
    'a/../../b',
    '.',
    '..',
    '',
    './/x',
    'a\0b',
    'a\\..\\b',
    'l/through',
    'l',
    'ü'.repeat(60),
  ),
  fc.string({ maxLength: 120 }),
);
const name = fc.oneof(
  hostileName.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
);
/** Right, too large, binary, negative, and no number at all. */
const size = (actual: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(octal(actual, 12)) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 8 ** 11 - 1 }).map((value) => octal(value, 12)) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        Buffer.alloc(12, 0xff),
        Buffer.from([0x80, ...Array<number>(11).fill(0xff)]),
        Buffer.from('-0000000001\0'),
        Buffer.from('            '),
      ),
    },
  );
const paxBody = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom('path', 'linkpath', 'size', 'mode', '__proto__', 'GNU.sparse.name'), hostileName)
        .map(([key, value]) => record(`${key}=${value}`)),
      fc
        .constantFrom('-1', '99999999999999999999', '0', '1e9', '9007199254740993', '512')
        .map((value) => record(`size=${value}`)),
      fc
        .constantFrom('0 path=x\n', '999999 path=x\n', '5 a\n', '\n', 'path=x\n', '12 path\n', ' ')
        .map((text) => Buffer.from(text)),
    ),
    { maxLength: 4 },
  )
  .map((parts) => Buffer.concat(parts));

function record(text: string): Buffer {
  const rest = Buffer.from(` ${text}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

const types = fc.oneof(fc.constantFrom(...Array.from('0125347xgLKSDMVA\x00', (char) => char.charCodeAt(0))), fc.nat(255));
const entry = types
  .chain((type) => {
    const char = String.fromCharCode(type);
    const body =
      char === 'x' || char === 'g'
        ? paxBody
        : char === 'L' || char === 'K'
          ? name
          : fc.uint8Array({ maxLength: 1_200 }).map((bytes) => Buffer.from(bytes));
    return fc.tuple(fc.constant(type), body);
  })
  .chain(([type, body]) =>
    fc
      .record({
        name,
        size: size(body.length),
        mode: fc.constantFrom(octal(0o644, 8), octal(0o7777, 8), Buffer.alloc(8, 0xff), Buffer.from('rwxr-xr-')),
        type: fc.constant(type),
        target: name,
        magic: fc.constantFrom('ustar\u000000', 'ustar  \0', '', 'rubbish!'),
        prefix: fc.oneof(fc.constant(Buffer.alloc(0)), name),
      })
      .map((fields) => Buffer.concat([header(fields), padded(body)])),
  );
const end = fc.constantFrom(Buffer.alloc(0), Buffer.alloc(block), Buffer.alloc(2 * block), Buffer.from('rubbish'));
const hostile = fc.tuple(fc.array(entry, { maxLength: 6 }), end).map(([entries, last]) => Buffer.concat([...entries, last]));

/** What is held at one time is one piece and one header, so all that was ever given is bounded by what came. */
async function drain(bytes: Buffer, piece: number) {
  let [records, given, asked] = [0, 0, 0];
  async function* source() {
    for (let at = 0; at < bytes.length; at += piece) {
      asked += 1;
      yield bytes.subarray(at, at + piece);
    }
  }
  try {
    for await (const one of readTar(source())) {
      records += 1;
      expect(Number.isSafeInteger(one.size) && one.size >= 0 && one.mode >= 0 && one.mode <= 0o7777).toBe(true);
      const path = accepted(() => safePath(one.path ?? ''));
      if (path !== undefined) expect(posix.join('/root', path).startsWith('/root/')).toBe(true);
      const target = one.target;
      if (
        path !== undefined &&
        one.kind === 'link' &&
        target !== undefined &&
        accepted(() => safeLink(path, target)) !== undefined
      ) {
        expect(`${posix.join('/root', path, '..', target)}/`.startsWith('/root/')).toBe(true);
      }
      if (records % 2 === 0) for await (const part of one.content()) given += part.length;
    }
  } catch (error) {
    expect(error).toBeInstanceOf(TarError);
  }
  expect(given).toBeLessThanOrEqual(bytes.length);
  expect(records).toBeLessThanOrEqual(bytes.length / block);
  expect(asked).toBeLessThanOrEqual(Math.ceil(bytes.length / piece));
}

function accepted(check: () => string): string | undefined {
  try {
    return check();
  } catch {
    return undefined;
  }
}

test('hostile headers: names, sizes, pax overrides, GNU long names, links, devices', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, fc.integer({ min: 1, max: 2_000 }), (bytes, piece) => drain(bytes, piece)),
    { numRuns: 800 },
  );
});

test('the same, cut anywhere and with bytes changed', async () => {
  const damaged = fc
    .tuple(hostile, fc.nat(), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }))
    .map(([whole, cut, flips]) => {
      const bytes = Buffer.from(whole.subarray(0, whole.length === 0 ? 0 : cut % (whole.length + 1)));
      for (const [at, value] of flips) if (bytes.length > 0) bytes[at % bytes.length] = value;
      return bytes;
    });
  await fc.assert(
    fc.asyncProperty(damaged, fc.integer({ min: 1, max: 2_000 }), (bytes, piece) => drain(bytes, piece)),
    { numRuns: 500 },
  );
});

test('an endless row of headers is read as it comes and ends with its source, holding no more than one of them', async () => {
  const long = header({
    name: Buffer.from('x'),
    size: octal(900_000, 12),
    mode: octal(0o644, 8),
    type: 0x4c,
    target: Buffer.alloc(0),
    magic: 'ustar  \0',
    prefix: Buffer.alloc(0),
  });
  const body = padded(Buffer.alloc(900_000, 0x61));
  async function* source() {
    for (let i = 0; i < 400; i++) yield* [long, body];
  }
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const watched = (async function* () {
    for await (const bytes of source()) {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      yield bytes;
    }
  })();
  await expect(readTar(watched).next()).rejects.toThrow(TarError);
  expect(most).toBeLessThan(200 * 1024 * 1024);
});
