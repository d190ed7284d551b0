// The shim's requests and replies as bytes; shim/wire.h has the drawing and the reasons.

export const ask = { start: 1, follow: 2, stop: 3, renew: 4, list: 5, forget: 6, swap: 7 } as const;
export const said = { answer: 1, data: 2, end: 3, listed: 4, heard: 5 } as const;
export const answers = { done: 0, existed: 1, fenced: 2, failed: 3 } as const;

/** What process 1 takes in one request. */
export const smallest = 4096;
const askMagic = 0x31515245;
const sayMagic = 0x31535245;
const headSize = 32;
/** Far above what the shim sends: what is longer is no reply. */
const longest = 1024 * 1024;

export interface Request {
  readonly type: number;
  readonly client: bigint;
  readonly id: number;
  readonly extra?: number;
  readonly payload: Uint8Array;
}

export interface Reply {
  readonly type: number;
  readonly client: bigint;
  readonly id: number;
  readonly extra: number;
  readonly payload: Buffer;
}

export function writeRequest({ type, client, id, extra = 0, payload }: Request): Buffer {
  const bytes = Buffer.alloc(headSize + payload.length);
  bytes.writeUInt32LE(askMagic, 0);
  bytes.writeUInt32LE(payload.length, 4);
  bytes.writeUInt32LE(type, 12);
  bytes.writeBigUInt64LE(client, 16);
  bytes.writeUInt32LE(id, 24);
  bytes.writeUInt32LE(extra, 28);
  bytes.set(payload, headSize);
  bytes.writeUInt32LE(sum(bytes.subarray(12)), 8);
  return bytes;
}

function sum(bytes: Uint8Array, from = 0x811c9dc5): number {
  let value = from;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}

/** Takes bytes as they come and gives the replies that are whole. Whoever attaches may come in the middle of one. */
export function createReplyReader(): (bytes: Uint8Array) => Reply[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]);
    const replies: Reply[] = [];
    for (let at = 0; ;) {
      if (rest.length - at < headSize) {
        rest = rest.subarray(at);
        return replies;
      }
      const head = rest.subarray(at, at + headSize);
      const size = head.readUInt32LE(4);
      if (head.readUInt32LE(0) !== sayMagic || size > longest || headSum(head) !== head.readUInt32LE(8)) {
        at += 1;
        continue;
      }
      if (rest.length - at < headSize + size) {
        rest = rest.subarray(at);
        return replies;
      }
      replies.push({
        type: head.readUInt32LE(12),
        client: head.readBigUInt64LE(16),
        id: head.readUInt32LE(24),
        extra: head.readUInt32LE(28),
        payload: rest.subarray(at + headSize, at + headSize + size),
      });
      at += headSize + size;
    }
  };
}

const headSum = (head: Buffer) => sum(head.subarray(12), sum(head.subarray(4, 8)));

export function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function number64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(typeof value === 'bigint' ? value : BigInt(Math.max(0, Math.ceil(value))));
  return bytes;
}
