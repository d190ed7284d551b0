// Reading exactly once: sealed epochs up to their seals, in order, then the current one to the end of its whole frames.
import { ErrandError } from '@errand/contract';
import type { Stream } from '@errand/contract';
import { badCursor, formatCursor, parseCursor } from './cursor.ts';
import type { LogEntry, LogView } from './port.ts';
import type { RecentEntry } from './recent.ts';
import { openRaws } from './raws.ts';
import { scan, wholeEnd } from './segment.ts';
import type { Segment } from './segment.ts';

/** Where the segments lie. */
export interface Segments {
  /** Epochs that have a segment, in any order. */
  epochs(run: string): Promise<readonly number[]>;
  open(run: string, epoch: number): Promise<Segment | undefined>;
  /** The file that references of this epoch and stream point into; absent where none are written. */
  raw?(run: string, epoch: number, stream: Stream): Promise<Segment | undefined>;
  /** What this process appended from the offset on, if that is still at hand. */
  recent?(run: string, epoch: number, offset: number): readonly RecentEntry[] | undefined;
}

export async function* readSegments(
  segments: Segments,
  run: string,
  view: LogView,
  since: string | undefined,
  stream?: Stream,
): AsyncGenerator<LogEntry, void> {
  const from = since === undefined ? { epoch: 0, bytes: 0 } : parseCursor(since);
  if (from.epoch > view.epoch) throw badCursor(since ?? '', 'lies beyond the end of the log');
  for (const epoch of await epochsOf(segments, run, view)) {
    if (epoch < from.epoch) continue;
    const seal = view.seals.find((each) => each.epoch === epoch)?.bytes;
    const atHand = seal === undefined ? segments.recent?.(run, epoch, epoch === from.epoch ? from.bytes : 0) : undefined;
    if (atHand) {
      for (const { stream: kind, bytes, end } of atHand) {
        if (!stream || kind === stream) yield { stream: kind, bytes, cursor: formatCursor(epoch, end) };
      }
      // Only the newest epoch has a writer in this process, so nothing comes after it.
      return;
    }
    await using segment = (await segments.open(run, epoch)) ?? empty;
    await using raws = openRaws(segments, run, epoch);
    const start = epoch === from.epoch ? from.bytes : 0;
    const to = seal ?? segment.size;
    if (start > to) throw badCursor(since ?? '', 'lies beyond the end of the log');

    let at = start;
    for (;;) {
      const { block, heads } = await scan(segment, at, to);
      for (const head of heads) {
        if (head.size === 0 || (stream && head.stream !== stream)) continue;
        const bytes =
          head.raw === undefined ? block.subarray(head.payload, head.end) : await raws.read(head.stream, head.raw, head.size);
        if (bytes.length < head.size) throw corrupt(run, epoch, at + head.start, at + head.end);
        yield { stream: head.stream, bytes, cursor: formatCursor(epoch, at + head.end) };
      }
      const last = heads.at(-1);
      if (!last) break;
      at += last.end;
    }

    if (at < to) {
      const onFrame = at > start || start === 0 || (await wholeEnd(segment, start)).bytes === start;
      if (!onFrame) throw badCursor(since ?? '', 'is not the end of an entry');
      // A torn end is normal only while somebody may be writing it.
      if (seal !== undefined || (view.complete && epoch === view.epoch)) throw corrupt(run, epoch, at, to);
    }
  }
}

/** Ascending. Whoever took an epoch over says where it ends before it writes, so behind one without a seal nothing can be placed. */
async function epochsOf(segments: Segments, run: string, view: LogView): Promise<readonly number[]> {
  const sealed = new Set(view.seals.map((seal) => seal.epoch));
  if (view.complete) {
    const epochs = new Set([...sealed, view.epoch]);
    // A view that seals every older epoch, as nearly all do, needs no look at what is there.
    if (epochs.size < view.epoch) for (const epoch of await segments.epochs(run)) if (epoch < view.epoch) epochs.add(epoch);
    return [...epochs].toSorted((a, b) => a - b);
  }
  const epochs: number[] = [];
  for (let epoch = 1; epoch <= view.epoch; epoch++) {
    epochs.push(epoch);
    if (!sealed.has(epoch)) break;
  }
  return epochs;
}

const empty: Segment = {
  size: 0,
  read: () => Promise.resolve(Buffer.alloc(0)),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function corrupt(run: string, epoch: number, at: number, to: number): ErrandError {
  const place = `${formatCursor(epoch, at)} and ${formatCursor(epoch, to)}`;
  return new ErrandError(
    'log/corrupt',
    `tried to read the log of run ${run}; what stood between ${place} is damaged or missing`,
    {
      next: 'Everything before that place was given; look for a failing disk or deleted files in the data directory.',
    },
  );
}
