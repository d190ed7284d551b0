// Log chunks on the wire. A chunk that is too big for a message goes in pieces; only the last one has the cursor.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { LogChunk, Stream } from '@errand/contract';
import { Stream as StreamMessage } from '../gen/errand/v1/runner_pb.js';
import type { LogPiece, LogPieceSchema } from '../gen/errand/v1/runner_pb.js';
import { batchBytes, chunkBytes } from './limits.ts';
import { Malformed } from './malformed.ts';

export function* piecesOf({ stream, bytes, cursor }: LogChunk): Generator<MessageInitShape<typeof LogPieceSchema>> {
  const side = stream === 'stdout' ? StreamMessage.STDOUT : StreamMessage.STDERR;
  let at = 0;
  for (; bytes.length - at > batchBytes; at += batchBytes) {
    yield { stream: side, content: bytes.subarray(at, at + batchBytes) };
  }
  yield { stream: side, content: bytes.subarray(at), cursor };
}

export interface ChunkReader {
  /** The chunk that ends with this piece. */
  push(piece: LogPiece): LogChunk | undefined;
  /** To be called at the end: a chunk without its last piece has no cursor and cannot be resumed after. */
  finish(): void;
}

export function createChunkReader(): ChunkReader {
  let parts: Uint8Array[] = [];
  let size = 0;
  let open: Stream | undefined;
  return {
    push({ stream, content, cursor }) {
      const side = readStream(stream);
      if (open !== undefined && open !== side) throw new Malformed('a log chunk changes its stream in the middle');
      size += content.length;
      if (size > chunkBytes) throw new Malformed(`a log chunk has more than ${chunkBytes} bytes`);
      if (cursor === undefined) {
        parts.push(content);
        open = side;
        return undefined;
      }
      const bytes = parts.length === 0 ? content : Buffer.concat([...parts, content]);
      parts = [];
      size = 0;
      open = undefined;
      return { stream: side, bytes, cursor };
    },
    finish() {
      if (open !== undefined) throw new Malformed('the log ends in the middle of a chunk');
    },
  };
}

function readStream(stream: StreamMessage): Stream {
  if (stream === StreamMessage.STDOUT) return 'stdout';
  if (stream === StreamMessage.STDERR) return 'stderr';
  throw new Malformed('a log chunk is of no known stream');
}
