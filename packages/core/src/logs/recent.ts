import type { Stream } from '@errand/contract';

export interface RecentEntry {
  readonly stream: Stream;
  readonly bytes: Uint8Array;
  /** Where its frame begins and ends in the segment. */
  readonly start: number;
  readonly end: number;
}

/** What was appended last, so that a follower in the same process need not read back what was written a moment ago. */
export interface Recent {
  add(entry: RecentEntry): void;
  /** Everything from this offset on; undefined when it is not kept that far back. */
  from(offset: number): readonly RecentEntry[] | undefined;
  clear(): void;
}

/** A follower that is further behind reads the file; that is also what bounds the memory. */
const most = 4 * 1024 * 1024;

export function createRecent(): Recent {
  let entries: RecentEntry[] = [];
  let size = 0;
  return {
    add(entry) {
      entries.push(entry);
      size += entry.bytes.length;
      while (size > most && entries.length > 1) size -= entries.shift()?.bytes.length ?? 0;
    },
    from(offset) {
      const at = entries.findIndex((entry) => entry.start === offset);
      return at === -1 ? undefined : entries.slice(at);
    },
    clear() {
      entries = [];
      size = 0;
    },
  };
}
