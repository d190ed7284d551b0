import { expect, test } from 'vitest';
import { cloudOf, planOf, recordOf, stackOf, stateOf } from '../../../test/plan-bed.ts';
import { toDot } from './dot.ts';
import { drawingOf } from './drawing.ts';
import { layOut } from './layout.ts';
import { toSvg } from './svg.ts';

const stack = stackOf({
  net: {},
  db: { dependsOn: ['net'] },
  app: { config: { a: '${db.id}', b: '${net.id}' } },
  'a-b': { type: 'other' },
});

test('a stack as DOT', () => {
  const dot = toDot(drawingOf(stack));
  expect(dot).toContain('"app" -> "db";');
  expect(dot).toContain('"app" -> "net";');
  expect(dot).toContain('"net" [label="net\\nthing"];');
  expect(dot.startsWith('digraph errand {') && dot.endsWith('}\n')).toBe(true);
});

test('a plan shows what is done, also to what leaves', async () => {
  const state = stateOf([recordOf('net'), recordOf('old<1>', { dependencies: ['net'] })]);
  const plan = await planOf(stack, state, cloudOf({ 'net-id': {}, 'old<1>-id': {} }));
  const drawing = drawingOf(stack, plan);
  expect(drawing.nodes.map((node) => [node.name, node.action])).toEqual([
    ['net', undefined],
    ['db', 'create'],
    ['app', 'create'],
    ['a-b', 'create'],
    ['old<1>', 'delete'],
  ]);
  expect(toDot(drawing)).toContain('"old<1>" -> "net";');
  const svg = toSvg(drawing);
  expect(svg).toContain('old&lt;1&gt;');
  expect(svg).not.toContain('old<1>');
  expect(svg).toBe(toSvg(drawingOf(stack, plan)));
  expect(svg.match(/<rect/g)).toHaveLength(5);
  expect(svg.match(/class="e"/g)).toHaveLength(4);
});

test('what is needed stands left of what needs it, and no two share a place', () => {
  const drawing = drawingOf(stack);
  const places = layOut(drawing);
  for (const [from, to] of drawing.edges) expect(places.get(from)?.column).toBeGreaterThan(places.get(to)?.column ?? 99);
  expect(new Set([...places.values()].map((place) => `${place.column} ${place.row}`)).size).toBe(places.size);
});

test('nothing at all is a picture, too', () => {
  expect(toSvg(drawingOf(stackOf({})))).toContain('<svg');
});
