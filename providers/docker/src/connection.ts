import type { Duplex } from 'node:stream';
import type { Connection } from './client.ts';

/** The engine sends [stream, 0, 0, 0, length as 4 bytes] before each piece; only stdout is of interest. */
export function connectionOf(socket: Duplex): Connection {
  // Whoever reads hears of it as an end.
  socket.on('error', () => undefined);
  async function* output(): AsyncGenerator<Uint8Array> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const bytes of socket) {
      rest = rest.length === 0 ? (bytes as Buffer) : Buffer.concat([rest, bytes as Buffer]);
      while (rest.length >= 8 && rest.length >= 8 + rest.readUInt32BE(4)) {
        const piece = rest.subarray(8, 8 + rest.readUInt32BE(4));
        if (rest[0] === 1) yield piece;
        rest = rest.subarray(8 + piece.length);
      }
    }
  }
  return {
    send: (bytes) => void (socket.writable && socket.write(bytes)),
    output: output(),
    close: () => void socket.destroy(),
  };
}
