import { encodeHead } from './frames.ts';
import { createListeners } from './listeners.ts';
import type { LogStore } from './port.ts';
import { readSegments } from './read.ts';
import type { Segments } from './read.ts';
import { wholeEnd } from './segment.ts';
import type { Segment } from './segment.ts';

/** Logs that end with the process. The hosts of a simulation share one instance, as machines share a file system. */
export function createMemoryLogs(): LogStore {
  const byPlace = new Map<string, { buffer: Buffer; size: number }>();
  const listeners = createListeners();

  const segments: Segments = {
    epochs: (run) => {
      const names = [...byPlace.keys()].filter((name) => name.startsWith(`${run}/`));
      return Promise.resolve(names.map((name) => Number(name.slice(run.length + 1))));
    },
    open: (run, epoch) => {
      const found = byPlace.get(place(run, epoch));
      return Promise.resolve(found && snapshot(found.buffer.subarray(0, found.size)));
    },
  };

  function append(run: string, epoch: number, parts: readonly Uint8Array[]) {
    const name = place(run, epoch);
    const found = byPlace.get(name) ?? { buffer: Buffer.alloc(256), size: 0 };
    byPlace.set(name, found);
    const size = parts.reduce((sum, part) => sum + part.length, found.size);
    if (size > found.buffer.length) found.buffer = Buffer.concat([found.buffer], size * 2);
    for (const part of parts) {
      found.buffer.set(part, found.size);
      found.size += part.length;
    }
  }

  return {
    tail: async (run, epoch) => {
      const segment = await segments.open(run, epoch);
      return { epoch, ...(segment ? await wholeEnd(segment) : { bytes: 0 }) };
    },
    writer: (run, epoch) =>
      Promise.resolve({
        append: async (stream, bytes, position) => {
          append(run, epoch, [encodeHead(stream, bytes.length, position), bytes]);
          listeners.tell(run);
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    read: (run, view, since, stream) => readSegments(segments, run, view, since, stream),
    watch: (run, listener) => listeners.watch(run, listener),
  };
}

function place(run: string, epoch: number): string {
  return `${run}/${epoch}`;
}

function snapshot(bytes: Buffer): Segment {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
