import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWholeYaml } from './parse.ts';
import { readPlainYaml } from './plain-yaml.ts';

/** Where the quick reader has an answer, it is the real parser's. True when it had one. */
async function agrees(text: string): Promise<boolean> {
  const quick = readPlainYaml(text);
  if (quick === undefined) return false;
  const { root, diagnostics } = await parseWholeYaml(text, 'x');
  expect({ text, diagnostics, root: quick }).toEqual({ text, diagnostics: [], root });
  return true;
}

test.each([
  'store: sqlite\n',
  'environments:\n  ci: { provider: local, timeout: 20m }\n',
  "a:\n  - x\n  - { b: 1, c: [1, -2.5, true, ~, null, \"q\", 's''s'] }\n  - k: v\n    l: w\n",
  'a:\n- x\n- y # said\n\n# a comment\nb: http://x.y:80/z#frag\n',
  'a: "x\\n\\u00e9"\nb: 1.10\nc: 010\nd: 1e3\ne: +5\nf: -7\n',
  'a: ${env:X:-y}\nb: { c: "${d.e}" }\n',
  'a:\nb:\n  c:\n',
])('it reads %j', async (text) => {
  expect(await agrees(text)).toBe(true);
});

test.each([
  'a: 1\na: 2\n',
  'a: #:\n',
  'a: |\n  x\n',
  'a: &x 1\nb: *x\n',
  'a: b: c\n',
  'a: x\n  y\n',
  '\ta: 1\n',
  'a: {b: 1\n',
  'a: [1, ]\n',
  '- ',
  '',
])('it leaves %j to the real parser', async (text) => {
  expect(await agrees(text)).toBe(false);
});

const scalar = fc.oneof(
  fc.constantFrom(
    'x',
    'a b',
    'true',
    'null',
    '~',
    '1',
    '-1',
    '1.5',
    '0x1f',
    '.5',
    '1e5',
    '-.inf',
    'a:b',
    'a#b',
    'a #b',
    '"q q"',
    "'it''s'",
    '${a.b}',
    '',
    '*a',
    '- x',
    'é',
    '<<',
    '=',
  ),
  fc.string({ maxLength: 6 }),
);
const word = fc.constantFrom('a', 'b', 'c-d', 'e.f', 'g_1', 'null', '1', '"q"');
const { block } = fc.letrec<{ flow: string; block: readonly string[] }>((tie) => ({
  flow: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('flow'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(word, tie('flow')), { maxLength: 3 })
      .map((pairs) => `{ ${pairs.map(([name, value]) => `${name}: ${value}`).join(', ')} }`),
  ),
  block: fc.oneof(
    { maxDepth: 3 },
    fc
      .array(fc.tuple(word, tie('flow')), { minLength: 1, maxLength: 3 })
      .map((pairs) => pairs.map(([name, value]) => `${name}: ${value}`)),
    fc
      .array(fc.tuple(word, tie('block'), fc.constantFrom('  ', '', ' ')), { minLength: 1, maxLength: 3 })
      .map((pairs) => pairs.flatMap(([name, lines, indent]) => [`${name}:`, ...lines.map((line) => `${indent}${line}`)])),
    fc
      .array(tie('block'), { minLength: 1, maxLength: 3 })
      .map((items) => items.flatMap((lines) => lines.map((line, at) => `${at === 0 ? '- ' : '  '}${line}`))),
    fc.array(tie('flow'), { minLength: 1, maxLength: 3 }).map((items) => items.map((item) => `- ${item}`)),
  ),
}));

test('it never differs from the real parser', async () => {
  const damage = fc.option(
    fc.tuple(fc.nat(200), fc.constantFrom('', ' ', '\n', '#', ':', ',', '"', '{', ']', '-', '\n  ', ' # c')),
  );
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(block, damage, async (lines, hurt) => {
      const text = `${lines.join('\n')}\n`;
      const at = hurt ? hurt[0] % text.length : 0;
      if (await agrees(hurt ? `${text.slice(0, at)}${hurt[1]}${text.slice(at + 1)}` : text)) answered += 1;
    }),
    { numRuns: Number(process.env['ERRAND_YAML_RUNS'] ?? 2000) },
  );
  expect(answered).toBeGreaterThan(100);
}, 600_000);
