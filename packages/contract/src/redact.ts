// Streaming removal of secret values from bytes. A value may be split over any number of chunks.

export const MASK = '[redacted]';
const mask = Buffer.from(MASK);

export interface Redactor {
  /** What may be shown now. `consumed` counts the raw bytes that the result stands for, held-back ones excluded. */
  push(chunk: Uint8Array): { readonly bytes: Uint8Array; readonly consumed: number };
  /** The held-back rest, at the end of the stream. */
  flush(): { readonly bytes: Uint8Array; readonly consumed: number };
  /** For a whole text, such as an error message. */
  text(value: string): string;
}

/** Values shorter than this are not looked for: masking every `1` would destroy the output and protect nothing. */
const shortest = 4;

export function createRedactor(values: Iterable<string>): Redactor {
  const secrets = variants(values).map((value) => Buffer.from(value));
  let held: Buffer = Buffer.alloc(0);

  function push(chunk: Uint8Array) {
    if (secrets.length === 0) return { bytes: chunk, consumed: chunk.length };
    const input =
      held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.concat([held, chunk]);
    return cut(input, false);
  }

  function flush() {
    return cut(held, true);
  }

  /** Masks every match. What may be the beginning of a secret at the end of the input is held back, unless it is the last. */
  function cut(input: Buffer, last: boolean) {
    const out: Buffer[] = [];
    let at = 0;
    for (;;) {
      const until = last ? input.length : input.length - partial(input.subarray(at));
      const hit = firstHit(input, at);
      // A match inside the doubtful end waits too: it may be the beginning of a longer secret.
      if (!hit || hit.at >= until) {
        out.push(input.subarray(at, until));
        held = Buffer.from(input.subarray(until));
        return { bytes: out.length === 1 ? input.subarray(at, until) : Buffer.concat(out), consumed: until };
      }
      out.push(input.subarray(at, hit.at), mask);
      at = hit.at + hit.length;
    }
  }

  /** The leftmost match; of several at one place, the longest (secrets are sorted by length). */
  function firstHit(input: Buffer, from: number) {
    let best: { at: number; length: number } | undefined;
    for (const secret of secrets) {
      const at = input.indexOf(secret, from);
      if (at !== -1 && (!best || at < best.at)) best = { at, length: secret.length };
    }
    return best;
  }

  /** How many bytes at the end may be the beginning of a secret. */
  function partial(input: Buffer): number {
    let longest = 0;
    for (const secret of secrets) {
      for (let size = Math.min(secret.length - 1, input.length); size > longest; size--) {
        if (input.subarray(input.length - size).equals(secret.subarray(0, size))) longest = size;
      }
    }
    return longest;
  }

  return {
    push,
    flush,
    text: (value) => {
      let result = value;
      for (const secret of secrets) result = result.replaceAll(secret.toString(), MASK);
      return result;
    },
  };
}

/** A multi-line value is often printed line by line, so each of its lines counts too. */
function variants(values: Iterable<string>): string[] {
  const all = new Set<string>();
  for (const value of values) {
    for (const candidate of [value, value.trim(), ...value.split(/\r?\n/).map((line) => line.trim())]) {
      if (candidate.length >= shortest) all.add(candidate);
    }
  }
  return [...all].toSorted((a, b) => b.length - a.length);
}
