// The few kinds of DER values of which a certificate is made (X.690).

/** One value: tag, length, content. */
export function value(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...content: readonly Uint8Array[]) => value(0x30, ...content);
export const set = (...content: readonly Uint8Array[]) => value(0x31, ...content);
export const octets = (content: Uint8Array) => value(0x04, content);
export const utf8 = (text: string) => value(0x0c, Buffer.from(text));
export const yes = () => value(0x01, Buffer.from([0xff]));

/** A value in a numbered slot; `constructed` when it holds whole values, not raw bytes. */
export const tagged = (number: number, constructed: boolean, ...content: readonly Uint8Array[]) =>
  value(0x80 | (constructed ? 0x20 : 0) | number, ...content);

/** `unused` bits at the end of the last byte do not count. */
export const bits = (content: Uint8Array, unused = 0) => value(0x03, Buffer.from([unused]), content);

/** A positive number, given as big-endian bytes: no byte too many, and one more where the first bit would be a sign. */
export function integer(bytes: Uint8Array): Buffer {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const digits = bytes.subarray(from);
  return value(0x02, Buffer.from((digits[0] ?? 0) >= 0x80 || digits.length === 0 ? [0] : []), digits);
}

/** From the dotted form. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(inSevens)]));
}

function inSevens(number: number): number[] {
  const groups = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift(0x80 | (rest % 128));
  return groups;
}

/** Certificates write years before 2050 with two digits. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const short = at.getUTCFullYear() < 2050;
  return value(short ? 0x17 : 0x18, Buffer.from(short ? digits.slice(2) : digits));
}
