import { shorten } from './text.ts';

export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** Aligned columns. With a width, the last column gives way; it is not padded. */
export function table(head: readonly Cell[], rows: readonly (readonly Cell[])[], width?: number): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => Array.from(row[column]?.text ?? '').length)));
  const last = head.length - 1;
  const before = widths.slice(0, last).reduce((sum, one) => sum + one + 2, 0);
  return all.map((row) =>
    row
      .map((cell, column) => {
        const text = column === last && width !== undefined ? shorten(cell.text, Math.max(10, width - before)) : cell.text;
        const painted = cell.paint ? cell.paint(text) : text;
        return column === last ? painted : painted + ' '.repeat((widths[column] ?? 0) - Array.from(text).length);
      })
      .join('  ')
      .trimEnd(),
  );
}
