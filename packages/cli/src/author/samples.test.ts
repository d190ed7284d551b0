import { expect, test } from 'vitest';
import { fill, parseSamples } from './samples.ts';

test('names and homes are filled in, everywhere and only where they are meant', () => {
  const value = { a: '{{home}}/{{name}}', b: ['{{name}}', 1, null], '{{name}}': '{{other}} {name}' };
  expect(fill(value, { name: 'n', home: '/h' })).toEqual({ a: '/h/n', b: ['n', 1, null], '{{name}}': '{{other}} {name}' });
});

test('a sample gives configs by name', () => {
  const text = JSON.stringify({
    config: { region: 'x' },
    drivers: { 'a.b': { config: { n: '{{name}}' }, changed: { n: 'c' }, sensitive: ['password'], slow: true } },
    skips: { 'outputs survive JSON': 'they do not' },
  });
  const { config, drivers, skips, runner } = parseSamples(text, 'f');
  expect([config, skips, runner]).toEqual([{ region: 'x' }, { 'outputs survive JSON': 'they do not' }, {}]);
  expect(drivers).toHaveLength(1);
  expect(drivers[0]).toMatchObject({ type: 'a.b', sensitive: ['password'], slow: true });
  expect(drivers[0]?.config('one', '/h')).toEqual({ n: 'one' });
  expect(drivers[0]?.changed?.('one', '/h')).toEqual({ n: 'c' });
  expect(drivers[0]?.forced).toBeUndefined();
});

test('nothing at all is fine', () => {
  expect(parseSamples('{}', 'f')).toEqual({ drivers: [], runner: {}, skips: {} });
});

test.each([
  ['{', 'not JSON'],
  ['[]', 'the file must be an object'],
  ['{"driver":{}}', 'has the key "driver"; known are config, drivers'],
  ['{"drivers":{"a.b":{}}}', 'has no `config`'],
  ['{"drivers":{"a.b":{"config":1}}}', 'must be an object'],
  ['{"drivers":{"a.b":{"config":{},"sensitive":"x"}}}', 'list of output names'],
  ['{"skips":{"x":true}}', 'the reason'],
  ['{"runner":{"image":1}}', '`runner.image` must be a text'],
])('%s is refused: %s', (text, what) => {
  expect(() => parseSamples(text, 'f')).toThrow(what);
});
