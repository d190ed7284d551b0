const SHOWN = 20;

/** A changed text of several lines: only the lines that differ, with how many stay above and below. */
export function textChange(before: string, after: string): string[] {
  const old = before.split('\n');
  const fresh = after.split('\n');
  let top = 0;
  while (top < old.length && top < fresh.length && old[top] === fresh[top]) top += 1;
  let bottom = 0;
  const room = Math.min(old.length, fresh.length) - top;
  while (bottom < room && old[old.length - 1 - bottom] === fresh[fresh.length - 1 - bottom]) bottom += 1;
  const gone = old.slice(top, old.length - bottom).map((line) => `- ${line}`);
  const come = fresh.slice(top, fresh.length - bottom).map((line) => `+ ${line}`);
  return [...same(top), ...cut(gone), ...cut(come), ...same(bottom)];
}

function same(count: number): string[] {
  return count === 0 ? [] : [`  (${count} ${count === 1 ? 'line' : 'lines'} as before)`];
}

function cut(lines: readonly string[]): readonly string[] {
  return lines.length <= SHOWN ? lines : [...lines.slice(0, SHOWN), `  (${lines.length - SHOWN} more)`];
}
