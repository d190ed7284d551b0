// JSON as Go's encoder writes it, byte for byte: hashes of the public contract are over these bytes.

/** Keys at every depth are sorted by their UTF-8 bytes. `undefined` members do not count. */
export function goJson(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return goText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return goNumber(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  const map = value as Record<string, unknown>;
  const keys = Object.keys(map).filter((key) => map[key] !== undefined);
  return goObject(keys.toSorted(byBytes).map((key) => [key, map[key]]));
}

/** Members in the given order, as of a Go struct. */
export function goObject(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([key, value]) => `${goText(key)}:${goJson(value)}`).join(',')}}`;
}

export function byBytes(a: string, b: string): number {
  // UTF-16 order differs from UTF-8 order only where surrogates meet the characters behind them.
  if (!beyond.test(a) || !beyond.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// oxlint-disable-next-line no-misleading-character-class -- single code units are what is looked for
const beyond = /[\ud800-\uffff]/;

function goNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} has no JSON`);
  return Object.is(value, -0) ? '-0' : String(value);
}

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Printable ASCII that needs no escape: nearly every text there is. */
const plain = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/;

function goText(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  if (text.isWellFormed()) return JSON.stringify(text).replaceAll(/[<>&\u2028\u2029]/g, (one) => escapes[one] ?? one);
  // Half a surrogate pair is what invalid UTF-8 is to Go: written as an escape, unlike a real U+FFFD.
  const pieces = text.split(/(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/);
  return `"${pieces.map((piece) => goText(piece).slice(1, -1)).join('\\ufffd')}"`;
}
