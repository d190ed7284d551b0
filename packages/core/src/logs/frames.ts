// One append is one frame:
//
//   0      1       2           4          8        12
//   magic  stream  position's  payload's  CRC-32   position   payload
//                  length      length     of [0, 8) and the position
//
// Numbers are little-endian; the position is JSON. The payload has no checksum of its own: a killed writer leaves
// a short frame, never a wrong one, and a checksum would cost a quarter of the append rate.
//
// A reference has a stream number of its own and no payload behind its head: the bytes lie in the raw file of its epoch
// and stream, at an offset that stands in the JSON behind the position. Readers that do not know it see no frame there.
import { crc32 } from 'node:zlib';
import { ErrandError } from '@errand/contract';
import type { Stream } from '@errand/contract';
import type { SourcePosition } from './port.ts';

const magic = 0xe7;
export const headerSize = 12;
const longestPosition = 0xffff;
export const longestHead = headerSize + longestPosition;
const longestPayload = 0xffff_ffff;

const numbers: Readonly<Record<Stream, number>> = { stdout: 1, stderr: 2 };
const streams: readonly (Stream | undefined)[] = [undefined, 'stdout', 'stderr', 'stdout', 'stderr'];
/** What a reference adds to the stream's number. */
const referred = 2;

/** Everything of a frame that stands before its payload; with `raw`, the offset in the raw file, the whole frame. */
export function encodeHead(stream: Stream, payload: number, position: SourcePosition, raw?: number): Buffer {
  const reference = raw === undefined ? [] : [raw];
  const text = JSON.stringify([position.cursor ?? null, position.skip.stdout, position.skip.stderr, ...reference]);
  const size = Buffer.byteLength(text);
  if (size > longestPosition) {
    throw new ErrandError('provider/failed', `refused a log cursor of ${size} bytes; at most ${longestPosition} are kept`);
  }
  if (payload > longestPayload) {
    throw new ErrandError('internal/bug', `refused a log chunk of ${payload} bytes; at most ${longestPayload} fit a frame`);
  }
  const head = Buffer.allocUnsafe(headerSize + size);
  head.writeUInt8(magic, 0);
  head.writeUInt8(numbers[stream] + (raw === undefined ? 0 : referred), 1);
  head.writeUInt16LE(size, 2);
  head.writeUInt32LE(payload, 4);
  head.write(text, headerSize);
  head.writeUInt32LE(checksum(head), 8);
  return head;
}

export interface Head {
  readonly stream: Stream;
  /** All offsets count from the beginning of the block. */
  readonly start: number;
  readonly payload: number;
  readonly end: number;
  /** How many bytes the frame stands for, wherever they lie. */
  readonly size: number;
  /** Of a reference: where they lie in the raw file. */
  readonly raw?: number;
}

/** `short`: the block ends inside the head. `bad`: no frame begins here. The payload may lie beyond the block. */
export function decodeHead(block: Buffer, start: number): Head | 'short' | 'bad' {
  const left = block.length - start;
  if (left <= 0) return 'short';
  if (block[start] !== magic) return 'bad';
  if (left < headerSize) return 'short';
  const number = block[start + 1] ?? 0;
  const stream = streams[number];
  if (!stream) return 'bad';
  const payload = start + headerSize + block.readUInt16LE(start + 2);
  if (payload > block.length) return 'short';
  if (block.readUInt32LE(start + 8) !== checksum(block.subarray(start, payload))) return 'bad';
  const size = block.readUInt32LE(start + 4);
  if (number <= referred) return { stream, start, payload, size, end: payload + size };
  return { stream, start, payload, size, end: payload, raw: decodeText(block, start, payload)[3] };
}

export function decodePosition(block: Buffer, head: Head): SourcePosition {
  const [cursor, stdout, stderr] = decodeText(block, head.start, head.payload);
  return { cursor: cursor ?? undefined, skip: { stdout, stderr } };
}

function decodeText(block: Buffer, start: number, end: number): [string | null, number, number, number] {
  return JSON.parse(block.toString('utf8', start + headerSize, end)) as [string | null, number, number, number];
}

function checksum(head: Buffer): number {
  return crc32(head.subarray(headerSize), crc32(head.subarray(0, 8)));
}
