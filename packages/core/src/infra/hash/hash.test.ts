import { expect, test } from 'vitest';
import { goJson } from './go-json.ts';
import { configHash, desiredHash, fingerprint } from './hash.ts';

test.each([
  [{ region: 'nyc3' }, 'd01e2c175df86e6d5d5617fc4a690a905137d0e1bac0a69019538dc69ea2fc74'],
  [
    { engine: 'postgres', region: 'nyc3', replicas: 3, size: 'medium', tags: { env: 'staging', team: 'platform' } },
    'bd1f1cfc831398057626cfbd215bbcd30d3c8a99f2ba5e7de80c30e8467d9e85',
  ],
  [{ q: 'a<b&c' }, '63cd842333f1df7abb861fbdae9237e209d9cb7e14dbc9ca37a0616b03ab59bc'],
  [{}, ''],
])('the hash of the config %j', (config, hash) => {
  expect(configHash(config)).toBe(hash);
});

test('the order of keys does not count, at any depth', () => {
  expect(configHash({ a: { y: 1, x: 2 }, b: 1 })).toBe(configHash({ b: 1, a: { x: 2, y: 1 } }));
});

test('the hash of what is wanted', () => {
  const vpc = { name: 'vpc1', type: 'infra.vpc', config: { region: 'nyc1' }, dependsOn: [] };
  const app = { name: 'app', type: 'infra.app', config: {}, size: 's' as const, hints: { cpu: '2' }, dependsOn: ['vpc1'] };
  expect(desiredHash([])).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945');
  expect(desiredHash([vpc])).toBe('dc5580a2638ac884ac32d8f7832dd932635266d87215315a4ab370a93d8e9059');
  expect(desiredHash([vpc, app])).toBe(desiredHash([app, vpc]));
  expect(desiredHash([vpc, app])).not.toBe(desiredHash([vpc, { ...app, size: 'm' }]));
});

test('fingerprints', () => {
  expect(fingerprint('hello')).toBe('2cf24dba5fb0a30e');
});

test.each([
  ['a<b>&', '"a\\u003cb\\u003e\\u0026"'],
  ['\u2028\u2029\n\t\u0001\u007f', '"\\u2028\\u2029\\n\\t\\u0001\u007f"'],
  ['\b\f"\\', '"\\b\\f\\"\\\\"'],
  ['half \ud800 pair, \ufffd and \ud83d\ude00', '"half \\ufffd pair, \ufffd and \ud83d\ude00"'],
  [1e-7, '1e-7'],
  [1e21, '1e+21'],
  [0.000001, '0.000001'],
  [123456789012345680000, '123456789012345680000'],
  [9007199254740993n, '9007199254740993'],
  [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
  // U+E000 comes before U+1F600 in UTF-8 and behind it in UTF-16.
  [{ '\ud83d\ude00': 1, '\ue000': 2 }, '{"\ue000":2,"\ud83d\ude00":1}'],
])('Go writes %s as %s', (value, text) => {
  expect(goJson(value)).toBe(text);
});
