// The engine's log stream: frames of [stream, 0, 0, 0, length as 4 bytes] and that many bytes, each of them one message
// with its time in front. A line longer than the engine's buffer comes as several messages with the same time.
import { ErrandError } from '@errand/contract';
import type { Stream } from '@errand/contract';

export interface Frame {
  readonly stream: Stream;
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  readonly bytes: Uint8Array;
}

/** Far above any engine's buffer: what is longer is no frame. */
const longest = 16 * 1024 * 1024;
const space = 0x20;

/** All frames that have come, each time something comes. */
export async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Frame[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of source) {
    rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]);
    const frames: Frame[] = [];
    for (;;) {
      if (rest.length < 8) break;
      const length = rest.readUInt32BE(4);
      if (length > longest) throw unreadable();
      if (rest.length < 8 + length) break;
      const frame = parse(rest[0] ?? 0, rest.subarray(8, 8 + length));
      if (frame) frames.push(frame);
      rest = rest.subarray(8 + length);
    }
    if (frames.length > 0) yield frames;
  }
  if (rest.length > 0) throw new ErrandError('provider/unreachable', 'the engine’s log stream ended in the middle of a message');
}

function parse(stream: number, payload: Buffer): Frame | undefined {
  const end = payload.indexOf(space);
  const time = end === -1 ? undefined : nanoseconds(payload.subarray(0, end).toString('latin1'));
  if (stream > 2 || time === undefined) throw unreadable();
  return { stream: stream === 2 ? 'stderr' : 'stdout', time, bytes: payload.subarray(end + 1) };
}

export function nanoseconds(text: string): bigint | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  const seconds = match ? Date.parse(`${match[1]}${match[3]}`) / 1000 : Number.NaN;
  if (!match || !Number.isSafeInteger(seconds)) return undefined;
  return BigInt(seconds) * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}

function unreadable(): ErrandError {
  return new ErrandError('provider/failed', 'tried to read the engine’s log stream: it is not in the engine’s format');
}
