/** The other end said something that the protocol does not know. Each end turns it into its own typed error. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** A part without which a message means nothing. */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Malformed(`${what} is missing`);
  return value;
}
