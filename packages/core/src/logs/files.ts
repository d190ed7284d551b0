// `<directory>/<run>/<epoch>.log`, and `<epoch>.<stream>.raw` for bytes that were linked instead of copied. Two epochs
// never share a file of ours, so a fenced writer cannot harm its successor.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import type { Stream } from '@errand/contract';
import { createAdoption } from './adopt.ts';
import { openSegment } from './file-segment.ts';
import { createFileWriter } from './file-writer.ts';
import { createListeners } from './listeners.ts';
import type { LogStore } from './port.ts';
import { readSegments } from './read.ts';
import { createRecent } from './recent.ts';
import type { Recent } from './recent.ts';
import type { Segments } from './read.ts';
import { wholeEnd } from './segment.ts';

export function createFileLogs(directory: string): LogStore {
  const listeners = createListeners();
  const recents = new Map<string, Recent>();
  const folder = (run: string) => join(directory, plainName(run));
  const path = (run: string, epoch: number) => join(folder(run), `${epoch}.log`);
  const rawPath = (run: string, epoch: number, stream: Stream) => join(folder(run), `${epoch}.${stream}.raw`);

  const segments: Segments = {
    open: (run, epoch) => openSegment(path(run, epoch)),
    raw: (run, epoch, stream) => openSegment(rawPath(run, epoch, stream)),
    recent: (run, epoch, offset) => recents.get(path(run, epoch))?.from(offset),
    epochs: async (run) => {
      const names = await readdir(folder(run)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return names.filter((name) => /^\d+\.log$/.test(name)).map((name) => Number.parseInt(name, 10));
    },
  };

  return {
    tail: async (run, epoch) => {
      await using segment = await segments.open(run, epoch);
      return { epoch, ...(segment ? await wholeEnd(segment) : { bytes: 0 }) };
    },
    writer: async (run, epoch) => {
      const recent = createRecent();
      recents.set(path(run, epoch), recent);
      const writer = createFileWriter({
        path: path(run, epoch),
        adoption: createAdoption((stream) => rawPath(run, epoch, stream)),
        appended: (entry) => {
          if (listeners.has(run)) recent.add(entry);
          else recent.clear();
          listeners.tell(run);
        },
      });
      return {
        append: (...chunk) => writer.append(...chunk),
        async [Symbol.asyncDispose]() {
          recents.delete(path(run, epoch));
          await writer[Symbol.asyncDispose]();
        },
      };
    },
    read: (run, view, since, stream) => readSegments(segments, run, view, since, stream),
    watch: (run, listener) => listeners.watch(run, listener),
  };
}

function plainName(run: string): string {
  if (/^\w[\w.-]*$/.test(run)) return run;
  throw new ErrandError('internal/bug', `refused ${JSON.stringify(run)} as the name of a log directory`);
}
