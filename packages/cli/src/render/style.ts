type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

/** Colour only where a person looks: a terminal, and NO_COLOR not set. */
export function createStyle(isTTY: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  const on = isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint =
    (open: number, close: number): Paint =>
    (text) =>
      on && text !== '' ? `\u001B[${open}m${text}\u001B[${close}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) };
}
