// Bytes into lines with bounded memory, whatever the other side writes.

export const longestTalk = 4096;

/** Calls `line` for each whole line; one that is too long is cut and its rest dropped. `end` gives the unfinished one. */
export function createLines(line: (text: string) => void, longest = longestTalk) {
  let parts: Buffer[] = [];
  let held = 0;

  function keep(part: Buffer): void {
    const room = longest - held;
    // A copy, because a small view would keep the whole chunk alive.
    if (room > 0 && part.length > 0) parts.push(Buffer.from(part.subarray(0, room)));
    held += part.length;
  }

  function give(): void {
    const text = Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
    const cut = held > longest;
    parts = [];
    held = 0;
    line(cut ? `${text}…` : text);
  }

  return {
    push(chunk: Buffer): void {
      let from = 0;
      for (;;) {
        const at = chunk.indexOf(10, from);
        keep(at === -1 ? chunk.subarray(from) : chunk.subarray(from, at));
        if (at === -1) return;
        give();
        from = at + 1;
      }
    },
    end(): void {
      if (held > 0) give();
    },
  };
}

/** The last few lines, for a message about a failure. */
export function createTail(most = 20) {
  const lines: string[] = [];
  return {
    push(line: string): void {
      lines.push(line);
      if (lines.length > most) lines.shift();
    },
    lines: (): readonly string[] => lines,
  };
}
