import type { Stream } from '@errand/contract';
import type { Segments } from './read.ts';
import type { Segment } from './segment.ts';

/** The raw files of one epoch, each opened when the first reference into it is read. */
export interface Raws extends AsyncDisposable {
  /** Fewer bytes when they are not there, or the whole file is not. */
  read(stream: Stream, offset: number, length: number): Promise<Buffer>;
}

export function openRaws(segments: Pick<Segments, 'raw'>, run: string, epoch: number): Raws {
  const opened = new Map<Stream, Segment | undefined>();
  return {
    async read(stream, offset, length) {
      if (!opened.has(stream)) opened.set(stream, await segments.raw?.(run, epoch, stream));
      return (await opened.get(stream)?.read(offset, length)) ?? Buffer.alloc(0);
    },
    async [Symbol.asyncDispose]() {
      for (const raw of opened.values()) await raw?.[Symbol.asyncDispose]();
    },
  };
}
