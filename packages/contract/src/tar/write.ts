// A tar archive as a stream: ustar headers, and a pax header in front of what they cannot say (long or non-ASCII names,
// sizes of 8 GiB and more). Entries come out in the order in which they go in.

export interface TarOwner {
  readonly uid: number;
  readonly gid: number;
}

export type TarEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode: number;
      readonly size: number;
      /** Exactly `size` bytes. */
      readonly content: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
    };

const block = 512;
/** Many small pieces cost more to send than one larger one. */
const pieceSize = 64 * 1024;

export async function* writeTar(entries: AsyncIterable<TarEntry>, owner: TarOwner): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let held = 0;
  const hold = (bytes: Uint8Array) => {
    pieces.push(bytes);
    held += bytes.length;
  };
  const take = () => {
    const all = Buffer.concat(pieces);
    pieces = [];
    held = 0;
    return all;
  };
  for await (const entry of entries) {
    for (const bytes of headers(entry, owner)) hold(bytes);
    if (entry.kind === 'file') {
      for await (const bytes of entry.content()) {
        hold(bytes);
        if (held >= pieceSize) yield take();
      }
      hold(padding(entry.size));
    }
    if (held >= pieceSize) yield take();
  }
  hold(Buffer.alloc(2 * block));
  yield take();
}

function* headers(entry: TarEntry, owner: TarOwner): Generator<Uint8Array> {
  const path = entry.kind === 'directory' ? `${entry.path}/` : entry.path;
  const target = entry.kind === 'link' ? entry.target : '';
  const size = entry.kind === 'file' ? entry.size : 0;
  const extra = [
    ...(fits(path, 100) ? [] : [pax('path', path)]),
    ...(fits(target, 100) ? [] : [pax('linkpath', target)]),
    ...(size < 8 ** 11 ? [] : [pax('size', String(size))]),
    ...(owner.uid < 8 ** 7 ? [] : [pax('uid', String(owner.uid))]),
    ...(owner.gid < 8 ** 7 ? [] : [pax('gid', String(owner.gid))]),
  ];
  if (extra.length > 0) {
    const body = Buffer.concat(extra);
    yield header({ path: 'pax', type: 'x', mode: 0o644, size: body.length, target: '', owner: { uid: 0, gid: 0 } });
    yield body;
    yield padding(body.length);
  }
  const type = { directory: '5', file: '0', link: '2' }[entry.kind];
  const mode = entry.kind === 'link' ? 0o777 : entry.mode & 0o7777;
  yield header({ path, type, mode, size, target, owner });
}

const ascii = /^[\u0020-\u007e]*$/;
const fits = (text: string, length: number) => text.length <= length && ascii.test(text);

/** `length name=value\n`, where the length counts its own digits too. */
function pax(name: string, value: string): Buffer {
  const rest = Buffer.from(` ${name}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

interface Header {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  readonly target: string;
  readonly owner: TarOwner;
}

function header({ path, type, mode, size, target, owner }: Header): Buffer {
  const bytes = Buffer.alloc(block);
  // What does not fit stands whole in the pax header; a reader that knows none of those gets a shortened name.
  bytes.write(fits(path, 100) ? path : 'long', 0, 100, 'latin1');
  octal(bytes, mode, 100, 8);
  octal(bytes, Math.min(owner.uid, 8 ** 7 - 1), 108, 8);
  octal(bytes, Math.min(owner.gid, 8 ** 7 - 1), 116, 8);
  octal(bytes, Math.min(size, 8 ** 11 - 1), 124, 12);
  octal(bytes, 0, 136, 12);
  bytes.fill(0x20, 148, 156);
  bytes.write(type, 156, 'latin1');
  bytes.write(fits(target, 100) ? target : 'long', 157, 100, 'latin1');
  bytes.write('ustar\u000000', 257, 'latin1');
  let sum = 0;
  for (const byte of bytes) sum += byte;
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

function octal(bytes: Buffer, value: number, at: number, width: number): void {
  bytes.write(value.toString(8).padStart(width - 1, '0'), at, width - 1, 'latin1');
}

function padding(size: number): Uint8Array {
  return Buffer.alloc((block - (size % block)) % block);
}
