import type { Action, PlannedChange, PlannedResource } from '@errand/core';
import type { Style } from '../style.ts';
import { visible } from '../text.ts';
import { textChange } from './text-change.ts';
import { leaves, SENSITIVE, touches, UNKNOWN, valueText } from './value.ts';

export function changeLines(change: PlannedChange, style: Style): string[] {
  const { path, old, sensitive, unknown, forceNew } = change;
  const forces = forceNew ? style.red('  # forces replacement') : '';
  const name = visible(path);
  if (sensitive) return [`${name}: ${SENSITIVE} → ${unknown ? UNKNOWN : SENSITIVE}${forces}`];
  if (typeof old === 'string' && typeof change.new === 'string' && !unknown && (old + change.new).includes('\n')) {
    const lines = textChange(old, change.new).map(visible);
    const paint = (line: string) => (line.startsWith('-') ? style.red(line) : line.startsWith('+') ? style.green(line) : line);
    return [`${name}:${forces}`, ...lines.map((line) => `  ${paint(line)}`)];
  }
  // A driver need not tell what was there before.
  const before = old === undefined ? '' : `${style.red(valueText(old))} `;
  return [`${name}: ${before}→ ${style.green(unknown ? UNKNOWN : valueText(change.new))}${forces}`];
}

/** What a new resource will be. */
export function desiredLines(desired: PlannedResource, style: Style): string[] {
  return leaves(desired.config)
    .filter(({ path }) => path !== '')
    .map(({ path, value }) => {
      const hidden = touches(desired.sensitive, path);
      const text = hidden ? SENSITIVE : touches(desired.unknown, path) ? UNKNOWN : valueText(value);
      return `${visible(path)}: ${style.green(text)}`;
    });
}

export type Mark = '+' | '~' | '-/+' | '+/-' | '-' | '<=' | '.';

export function markOf({ kind, desired, steps }: Pick<Action, 'kind' | 'desired' | 'steps'>): Mark {
  switch (kind) {
    case 'create':
      return '+';
    case 'update':
      return '~';
    case 'replace':
      return (desired?.createBeforeDestroy ?? steps[0]?.do === 'create') ? '+/-' : '-/+';
    case 'delete':
      return '-';
    case 'forget':
      return '.';
    case 'read':
      break;
  }
  return '<=';
}

export function paintMark(mark: Mark, style: Style): string {
  if (mark === '+' || mark === '<=') return style.green(mark);
  return mark === '-' || mark === '-/+' || mark === '+/-' ? style.red(mark) : style.yellow(mark);
}
