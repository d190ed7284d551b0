import { closeSync, constants, openSync, readSync } from 'node:fs';

/** Below this a blocking read is over sooner than a thread could begin one. */
export const smallRead = 256 * 1024;

/** The first `size` bytes of a plain file, or all when it has become shorter. Never follows a link, never waits for a pipe. */
export function readSmall(path: string, size: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      const count = readSync(file, buffer, filled, size - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}
