import { ErrandError } from '@errand/contract';

/** A place in a run's log: the segment of an epoch, and the bytes of it that lie before. */
export interface Cursor {
  readonly epoch: number;
  readonly bytes: number;
}

export function formatCursor(epoch: number, bytes: number): string {
  return `${epoch}.${bytes}`;
}

export function parseCursor(text: string): Cursor {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(text);
  if (!match) throw badCursor(text, 'is not a log cursor');
  return { epoch: Number(match[1]), bytes: Number(match[2]) };
}

export function badCursor(text: string, problem: string): ErrandError {
  return new ErrandError('usage/invalid', `tried to read the log after ${JSON.stringify(text)}, which ${problem}`, {
    next: 'A cursor looks like 1.4096; take it unchanged from an entry of the same run, or read from the beginning.',
  });
}
