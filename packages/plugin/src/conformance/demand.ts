/** A promise that a plugin did not keep. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

export function demand(held: boolean, otherwise: string): void {
  if (!held) throw new Broken(otherwise);
}
