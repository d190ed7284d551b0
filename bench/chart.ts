// One horizontal bar for each figure that has a bar to reach, drawn as its share of that limit, with the limit as one
// line through all of them. The colours of text follow the reader's theme.
import { isReached, judgedValue } from './result.ts';
import type { Result } from './result.ts';
import { barText, valueText } from './table.ts';

const width = 760;
const rowHeight = 44;
const left = 250;
const right = 150;
const top = 56;
/** Anything longer than this share of the limit is cut off. */
const longest = 2.5;

export function chartOf(results: readonly Result[], when: Date): string {
  const shown = results.filter((result) => result.bar !== undefined);
  const shares = shown.map((result) => Math.min(longest, judgedValue(result) / (result.bar ?? 1)));
  const scale = (width - left - right) / Math.max(1.25, ...shares);
  const height = top + shown.length * rowHeight + 40;
  const limit = left + scale;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Errand: measured figures as shares of their limits</title>`,
    style,
    `<text class="head" x="16" y="26">Measured, as a share of the limit</text>`,
    ...shown.flatMap((result, row) => rowOf(result, top + row * rowHeight, (shares[row] ?? 0) * scale)),
    `<line class="limit" x1="${fixed(limit)}" y1="${top - 12}" x2="${fixed(limit)}" y2="${height - 36}"/>`,
    `<text class="small" x="${fixed(limit)}" y="${top - 16}" text-anchor="middle">limit</text>`,
    `<text class="small" x="16" y="${height - 12}">${when.toISOString().slice(0, 10)} · ▸ more is better · ◂ less is better</text>`,
    `</svg>\n`,
  ].join('\n');
}

function rowOf(result: Result, y: number, length: number): readonly string[] {
  const kind = isReached(result) === true ? 'reached' : 'missed';
  const arrow = result.better === 'higher' ? '▸' : '◂';
  return [
    `<text class="name" x="16" y="${y + 14}">${arrow} ${escape(result.name)}</text>`,
    `<text class="small" x="16" y="${y + 30}">${escape(result.what)}</text>`,
    `<rect class="${kind}" x="${left}" y="${y + 4}" width="${fixed(Math.max(1, length))}" height="22" rx="3"/>`,
    `<text class="name" x="${width - 16}" y="${y + 14}" text-anchor="end">${escape(valueText(result))}</text>`,
    `<text class="small" x="${width - 16}" y="${y + 30}" text-anchor="end">${escape(barText(result))}</text>`,
  ];
}

const style = `<style>
text { font-family: system-ui, sans-serif; fill: #1f2328 }
.head { font-size: 15px; font-weight: 600 }
.name { font-size: 13px; font-weight: 600 }
.small { font-size: 11px; fill: #59636e }
.reached { fill: #2da44e }
.missed { fill: #d1561c }
.limit { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.small { fill: #9198a1 }
.reached { fill: #3fb950 }
.missed { fill: #f0883e }
.limit { stroke: #9198a1 }
}
</style>`;

function fixed(value: number): string {
  return value.toFixed(1);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
