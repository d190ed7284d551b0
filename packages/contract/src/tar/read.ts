// A tar archive read as it comes, with bounded memory whatever it says: contents are passed through, names and pax
// headers have limits. The names are not to be trusted; whoever uses one checks it.

export interface TarRecord {
  /** `other`: devices, pipes and whatever else has no place in a workspace. */
  readonly kind: 'file' | 'directory' | 'link' | 'hard-link' | 'other';
  /** Undefined when it is no UTF-8. */
  readonly path: string | undefined;
  readonly mode: number;
  readonly size: number;
  /** Of links. */
  readonly target: string | undefined;
  /** May be read once, before the next record is asked for. */
  readonly content: () => AsyncGenerator<Uint8Array>;
}

export class TarError extends Error {
  override readonly name = 'TarError';
}

const block = 512;
/** A name longer than any file system takes. */
const longestHeader = 1024 * 1024;

export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarRecord> {
  const reader = createReader(source);
  let extra: Extra = {};
  let everywhere: Extra = {};
  try {
    for (;;) {
      const head = await reader.exactly(block);
      if (head === undefined) throw new TarError('the archive ends without its end mark');
      if (isZero(head)) return;
      checkSum(head);
      const type = String.fromCharCode(head[156] ?? 0);
      const announced = numberAt(head, 124, 12);
      if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
        const body = await wholeBody(reader, announced);
        if (type === 'x') extra = { ...extra, ...paxRecords(body) };
        else if (type === 'g') everywhere = { ...everywhere, ...paxRecords(body) };
        else extra = { ...extra, [type === 'L' ? 'path' : 'linkpath']: cString(body) };
        continue;
      }
      const all = { ...everywhere, ...extra };
      extra = {};
      const size = isLink(type) || type === '5' ? 0 : sizeOf(all.size, announced);
      const content = createContent(reader, size);
      yield {
        kind: kindOf(type, head),
        path: decode(all.path ?? nameAt(head)),
        mode: numberAt(head, 100, 8) & 0o7777,
        size,
        target: isLink(type) ? decode(all.linkpath ?? cString(head.subarray(157, 257))) : undefined,
        content: () => content.read(),
      };
      await content.drop();
    }
  } finally {
    await reader.close();
  }
}

const isLink = (type: string) => type === '1' || type === '2';

function kindOf(type: string, head: Buffer): TarRecord['kind'] {
  // Archives older than ustar tell a directory by the slash at its end.
  if (type === '0' || type === '\0' || type === '7') return cString(head.subarray(0, 100)).at(-1) === 0x2f ? 'directory' : 'file';
  return ({ '5': 'directory', '2': 'link', '1': 'hard-link' } as const)[type] ?? 'other';
}

interface Extra {
  readonly path?: Buffer;
  readonly linkpath?: Buffer;
  readonly size?: Buffer;
}

function paxRecords(body: Buffer): Extra {
  const found: Record<string, Buffer> = {};
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at);
    const digits = space === -1 ? '' : body.subarray(at, space).toString('latin1');
    const length = /^[1-9]\d{0,6}$/.test(digits) ? Number(digits) : 0;
    const equals = body.indexOf(0x3d, at);
    const end = at + length;
    if (length === 0 || end > body.length || body[end - 1] !== 0x0a || equals === -1 || equals >= end) {
      throw new TarError('a pax header cannot be read');
    }
    const name = body.subarray(space + 1, equals).toString('latin1');
    if (name === 'path' || name === 'linkpath' || name === 'size') found[name] = body.subarray(equals + 1, end - 1);
    at = end;
  }
  return found;
}

function sizeOf(pax: Buffer | undefined, announced: number): number {
  if (pax === undefined) return announced;
  const text = pax.toString('latin1');
  const size = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw new TarError(`a size cannot be read: ${JSON.stringify(text)}`);
  return size;
}

/** Octal, or binary with the top bit set as GNU writes what octal cannot hold. */
function numberAt(head: Buffer, at: number, width: number): number {
  if (((head[at] ?? 0) & 0x80) !== 0) {
    let value = (head[at] ?? 0) & 0x7f;
    for (let index = 1; index < width; index++) value = value * 256 + (head[at + index] ?? 0);
    if (!Number.isSafeInteger(value)) throw new TarError('a number in a header is too large');
    return value;
  }
  const text = cString(head.subarray(at, at + width))
    .toString('latin1')
    .trim();
  if (text === '') return 0;
  if (!/^[0-7]+$/.test(text)) throw new TarError('a number in a header cannot be read');
  return Number.parseInt(text, 8);
}

function nameAt(head: Buffer): Buffer {
  const name = cString(head.subarray(0, 100));
  const prefix = head.subarray(257, 263).toString('latin1') === 'ustar\0' ? cString(head.subarray(345, 500)) : Buffer.alloc(0);
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]);
}

function cString(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function checkSum(head: Buffer): void {
  let sum = 0;
  for (let at = 0; at < block; at++) sum += at >= 148 && at < 156 ? 0x20 : (head[at] ?? 0);
  if (sum !== numberAt(head, 148, 8)) throw new TarError('a header’s checksum is wrong');
}

const isZero = (head: Buffer) => head.every((byte) => byte === 0);

async function wholeBody(reader: Reader, size: number): Promise<Buffer> {
  if (size > longestHeader) throw new TarError(`a header of ${size} bytes is too long`);
  const body = Buffer.from((await reader.exactly(size)) ?? truncated());
  await reader.drop((block - (size % block)) % block);
  return body;
}

function createContent(reader: Reader, size: number) {
  let left = size;
  let over = false;
  return {
    async *read(): AsyncGenerator<Uint8Array> {
      if (over) throw new TarError('a file’s content was asked for after the next one had begun');
      while (left > 0) {
        const bytes = (await reader.some(left)) ?? truncated();
        left -= bytes.length;
        yield bytes;
      }
    },
    async drop(): Promise<void> {
      over = true;
      await reader.drop(left + ((block - (size % block)) % block));
    },
  };
}

function truncated(): never {
  throw new TarError('the archive ends in the middle of an entry');
}

interface Reader {
  /** Undefined at the very end. */
  exactly(size: number): Promise<Buffer | undefined>;
  /** At least one byte and at most `most`; undefined at the end. */
  some(most: number): Promise<Buffer | undefined>;
  drop(size: number): Promise<void>;
  close(): Promise<void>;
}

function createReader(source: AsyncIterable<Uint8Array>): Reader {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function some(most: number): Promise<Buffer | undefined> {
    while (rest.length === 0) {
      const next = await iterator.next();
      if (next.done) return undefined;
      rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const taken = rest.subarray(0, most);
    rest = rest.subarray(taken.length);
    return taken;
  }

  return {
    some,
    async exactly(size) {
      const parts: Buffer[] = [];
      for (let left = size; left > 0;) {
        const part = await some(left);
        if (part === undefined) return parts.length === 0 ? undefined : truncated();
        parts.push(part);
        left -= part.length;
      }
      return parts.length === 1 ? parts[0] : Buffer.concat(parts);
    },
    async drop(size) {
      for (let left = size; left > 0;) left -= ((await some(left)) ?? truncated()).length;
    },
    close: async () => void (await iterator.return?.()),
  };
}
