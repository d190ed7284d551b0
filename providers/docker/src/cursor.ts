// Where a reader of a job's output is. The engine can give what it has from a moment on, per stream; messages of one
// stream are in order of time, and several can have the same time. So the position is, per stream, the time of the last
// message and how many with that time were given. Between streams the order of times means nothing.
import { ErrandError } from '@errand/contract';
import type { Stream } from '@errand/contract';
import type { Frame } from './frames.ts';

export interface Position {
  /** Nanoseconds since the epoch; 0 is the beginning. */
  readonly since: bigint;
  /** Messages from that time on that were given. */
  readonly given: number;
  /** All that were given. */
  readonly total: number;
}

export type Positions = Readonly<Record<Stream, Position>>;

const beginning: Position = { since: 0n, given: 0, total: 0 };

export function writeCursor({ stdout, stderr }: Positions): string {
  const text = ({ since, given, total }: Position) => `${since}.${given}.${total}`;
  return `o${text(stdout)}e${text(stderr)}`;
}

export function parseCursor(cursor: string | undefined): Positions {
  if (cursor === undefined) return { stdout: beginning, stderr: beginning };
  const match = /^o(\d{1,20})\.(\d{1,15})\.(\d{1,15})e(\d{1,20})\.(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (match) return { stdout: position(match.slice(1, 4)), stderr: position(match.slice(4, 7)) };
  throw new ErrandError('usage/invalid', `refused the cursor ${JSON.stringify(cursor)}: it is not one of a Docker job`, {
    next: 'Use a cursor that came with this job’s output.',
  });
}

function position([since = '0', given = '0', total = '0']: readonly string[]): Position {
  return { since: BigInt(since), given: Number(given), total: Number(total) };
}

/** After one more message. When the engine's clock was set back, times are of no use any more and all are counted. */
export function advance(from: Position, frame: Pick<Frame, 'time'>): Position {
  const total = from.total + 1;
  if (frame.time < from.since) return { since: 0n, given: total, total };
  if (frame.time === from.since || (from.since === 0n && from.given > 0)) return { ...from, given: from.given + 1, total };
  return { since: frame.time, given: 1, total };
}

/** Lets pass what is new after a position. */
export function createFilter(from: Position): (frame: Pick<Frame, 'time'>) => boolean {
  let toSkip = from.given;
  return (frame) => {
    // While skipping, what is older was asked for by nobody: some engines know whole seconds only.
    if (toSkip > 0 && frame.time < from.since) return false;
    if (toSkip > 0) {
      toSkip -= 1;
      return false;
    }
    return true;
  };
}

/** As the engine wants it. */
export function sinceText({ since }: Position): string | undefined {
  if (since === 0n) return undefined;
  return `${since / 1_000_000_000n}.${String(since % 1_000_000_000n).padStart(9, '0')}`;
}
