import { colours, type Drawing, type Node } from './drawing.ts';
import { layOut, type Place } from './layout.ts';

const width = 190;
const height = 48;
const gapX = 90;
const gapY = 22;
const margin = 20;

/** A picture that needs nothing else; its colours follow the reader's light or dark mode. The same drawing gives the same text. */
export function toSvg(drawing: Drawing): string {
  const places = layOut(drawing);
  const at = (name: string) => corner(places.get(name) ?? { column: 0, row: 0 });
  const all = [...places.values()];
  const columns = Math.max(0, ...all.map((place) => place.column)) + 1;
  const rows = Math.max(0, ...all.map((place) => place.row)) + 1;
  const wide = 2 * margin + columns * width + (columns - 1) * gapX;
  const high = 2 * margin + rows * height + (rows - 1) * gapY;
  const arrows = drawing.edges.map(([from, to]) => arrow(at(to), at(from)));
  const boxes = drawing.nodes.map((node) => box(node, at(node.name)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" font-family="sans-serif" role="img">`,
    `<title>${drawing.nodes.length} resources</title>`,
    `<style>text{fill:#1f2328}.s{fill:#59636e}.b{fill:#ffffff}.e{stroke:#8c959f;fill:none}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.b{fill:#0d1117}}</style>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#8c959f"/></marker></defs>`,
    ...arrows,
    ...boxes,
    '</svg>',
    '',
  ].join('\n');
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function corner({ column, row }: Place): Point {
  return { x: margin + column * (width + gapX), y: margin + row * (height + gapY) };
}

/** In the direction of creation: from what is needed to what needs it. */
function arrow(from: Point, to: Point): string {
  const [x1, y1, x2, y2] = [from.x + width, from.y + height / 2, to.x, to.y + height / 2];
  const bend = Math.max(30, (x2 - x1) / 2);
  return `<path class="e" d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" marker-end="url(#tip)"/>`;
}

function box({ name, type, action }: Node, { x, y }: Point): string {
  const colour = action ? colours[action] : '#8c959f';
  const second = action ? `${type} · ${action}` : type;
  return [
    `<g><title>${escape(`${name} (${second})`)}</title>`,
    `<rect class="b" x="${x}" y="${y}" width="${width}" height="${height}" rx="6" stroke="${colour}" stroke-width="${action ? 2 : 1}"/>`,
    `<text x="${x + 10}" y="${y + 20}" font-size="13">${escape(short(name, 24))}</text>`,
    `<text class="s" x="${x + 10}" y="${y + 37}" font-size="11">${escape(short(second, 30))}</text></g>`,
  ].join('');
}

function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
