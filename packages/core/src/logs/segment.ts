// Walks the frames of one segment (what one epoch of one run wrote) in large blocks.
import { decodeHead, decodePosition, longestHead } from './frames.ts';
import type { Head } from './frames.ts';
import type { SourcePosition } from './port.ts';

/** A segment as it was when it was opened. */
export interface Segment extends AsyncDisposable {
  readonly size: number;
  /** Fewer bytes only where the segment ends. The result is never reused. */
  read(offset: number, length: number): Promise<Buffer>;
}

const blockSize = 4 * 1024 * 1024;

export interface Scan {
  readonly block: Buffer;
  /** The whole frames at the beginning of the block; none where the whole frames before `to` have ended. */
  readonly heads: readonly Head[];
}

/** The next whole frames between two offsets, at least one if there is one. */
export async function scan(segment: Segment, from: number, to: number): Promise<Scan> {
  let length = Math.min(blockSize, to - from);
  for (;;) {
    const block = await segment.read(from, length);
    const heads: Head[] = [];
    let at = 0;
    for (;;) {
      const head = decodeHead(block, at);
      if (head === 'short' || head === 'bad') return { block, heads };
      if (head.end > block.length) {
        const beyond = from + head.end > to || block.length < length;
        if (heads.length > 0 || beyond) return { block, heads };
        length = head.end;
        break;
      }
      heads.push(head);
      at = head.end;
    }
  }
}

const hop = 4 * 1024;
const stride = 256 * 1024;

export interface WholeEnd {
  readonly bytes: number;
  /** Of the last whole frame. */
  readonly position?: SourcePosition;
}

/** The end of the whole frames before `to`; leaps over payloads, so a long log of large frames is quick. */
export async function wholeEnd(segment: Segment, to = segment.size): Promise<WholeEnd> {
  let bytes = 0;
  let position: SourcePosition | undefined;
  let length = stride;
  for (;;) {
    const block = await segment.read(bytes, Math.min(length, to - bytes));
    let last: Head | undefined;
    for (;;) {
      const head = decodeHead(block, last?.end ?? 0);
      if (head === 'short' || head === 'bad' || bytes + head.end > to) break;
      last = head;
    }
    if (last) {
      position = decodePosition(block, last);
      bytes += last.end;
      length = last.end > block.length ? hop : stride;
    } else if (length < longestHead && block.length === length) length = stride;
    else return position ? { bytes, position } : { bytes };
  }
}
