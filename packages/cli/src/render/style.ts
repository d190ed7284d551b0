type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

/** Colour only where a person looks, a terminal, or where it is asked for by FORCE_COLOR; never with NO_COLOR. */
export function createStyle(isTTY: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  const forced = env['FORCE_COLOR'] !== undefined && !['', '0', 'false'].includes(env['FORCE_COLOR']);
  const on = !env['NO_COLOR'] && (forced || (isTTY && env['TERM'] !== 'dumb'));
  const paint =
    (open: number, close: number): Paint =>
    (text) =>
      on && text !== '' ? `\u001B[${open}m${text}\u001B[${close}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) };
}
