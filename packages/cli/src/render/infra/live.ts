// The bottom lines of a terminal that are drawn over and over, with lasting lines coming out above them.
import type { Sink } from '../../sink.ts';
import { shorten } from '../text.ts';

export interface Live {
  /** A line that stays. */
  print(line: string): void;
  /** What the region shows from now on. */
  show(lines: readonly string[]): void;
  /** Takes the region away; resolves when all is written. */
  close(): Promise<void>;
}

const UP_AND_CLEAR = (lines: number) => (lines === 0 ? '' : `\u001B[${lines}A\u001B[0J`);

/** One write per change, so that nothing flickers; a line that would wrap is cut, or the count of lines would be wrong. */
export function createLive(sink: Sink): Live {
  // A terminal that nobody sized says 0.
  const width = (sink.columns || 80) - 1;
  let shown: readonly string[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const draw = (above: string, next: readonly string[]): void => {
    const region = next.map((line) => `${shorten(line, width)}\n`).join('');
    last = sink.write(`${UP_AND_CLEAR(shown.length)}${above}${region}`);
    shown = next;
  };
  return {
    print: (line) => draw(`${line}\n`, shown),
    show: (lines) => draw('', lines),
    async close() {
      draw('', []);
      await last;
    },
  };
}
