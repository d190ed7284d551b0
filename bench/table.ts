import { isReached, judgedValue } from './result.ts';
import type { Result } from './result.ts';

const headings = ['', 'what', 'ours', 'against', 'baseline', 'ratio', 'bar', ''] as const;
const rightAligned = new Set([2, 4, 5, 6]);

export function tableOf(results: readonly Result[]): string {
  const rows = [headings, ...results.map(rowOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (rightAligned.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

function rowOf(result: Result): readonly string[] {
  const { name, what, against = '', baseline, ours, ratio, unit } = result;
  return [
    name,
    what,
    `${figure(ours)} ${unit}`,
    against,
    baseline === undefined ? '' : `${figure(baseline)} ${unit}`,
    ratio === undefined ? '' : `${figure(ratio)} ×`,
    barText(result),
    { true: 'reached', false: 'MISSED', undefined: '' }[String(isReached(result)) as 'true' | 'false' | 'undefined'],
  ];
}

export function barText(result: Result): string {
  if (result.bar === undefined) return '';
  return `${result.better === 'lower' ? '≤' : '≥'} ${result.bar} ${unitOf(result)}`;
}

export function valueText(result: Result): string {
  return `${figure(judgedValue(result))} ${unitOf(result)}`;
}

function unitOf(result: Result): string {
  return result.judged === 'ratio' ? '×' : result.unit;
}

function figure(value: number): string {
  if (!Number.isFinite(value)) return '?';
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
