import { open } from 'node:fs/promises';
import type { Segment } from './segment.ts';

/** Undefined when there is no such file. */
export async function openSegment(path: string): Promise<Segment | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    return {
      size,
      read: async (offset, length) => {
        const block = Buffer.allocUnsafe(Math.max(0, length));
        let got = 0;
        while (got < block.length) {
          const { bytesRead } = await file.read(block, got, block.length - got, offset + got);
          if (bytesRead === 0) break;
          got += bytesRead;
        }
        return block.subarray(0, got);
      },
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
