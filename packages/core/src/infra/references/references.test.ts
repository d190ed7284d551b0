import type { Json } from '@errand/contract';
import { expect, test } from 'vitest';
import { lookUpOutput, type Referable } from './outputs.ts';
import { parseTemplate } from './parse.ts';
import { referencesIn, resolveConfig, settleConfig, type Lookup } from './resolve.ts';
import { writtenSecrets } from './secrets.ts';
import { liesIn, related, valueAt } from './walk.ts';

const db: Referable = {
  providerId: 'db-1',
  outputs: {
    host: 'h',
    port: 5432,
    tags: { a: ['x', 'y'] },
    'flat.key': 'f',
    password: 'pw',
    text: 'has ${x.y} in it',
    id: 'other',
    dollar: 'a$',
  },
  sensitive: ['password'],
  settled: true,
};
const lookup: Lookup = (reference) => {
  if (reference.name === 'new') return { known: false, sensitive: reference.field === 'key' };
  return reference.name === 'db' ? lookUpOutput(db, reference, () => null) : { problem: `no ${reference.name}` };
};
const resolved = (value: Json) => resolveConfig({ it: value }, lookup);

test.each<[string, Json, Json]>([
  ['a whole reference keeps its type', '${db.port}', 5432],
  ['structures, too', '${db.tags}', { a: ['x', 'y'] }],
  ['inside a text numbers stand plain', 'at ${db.host}:${db.port}', 'at h:5432'],
  ['and structures as JSON', 'x=${db.tags.a}', 'x=["x","y"]'],
  ['the id is the provider’s, whatever outputs there are', '${db.id}', 'db-1'],
  ['the way into a structure', '${db.tags.a.1}', 'y'],
  ['an output with a dot in its name comes first', '${db.flat.key}', 'f'],
  ['the escape', 'echo $${HOME} $${db.host} $$${db.host}', 'echo ${HOME} ${db.host} $${db.host}'],
  ['a value is not looked at again', '${db.text}', 'has ${x.y} in it'],
  ['plain dollars are plain', '$HOME $5 $(x) {y}', '$HOME $5 $(x) {y}'],
  ['in lists and maps', [{ a: '${db.host}' }, 1, null], [{ a: 'h' }, 1, null]],
])('%s', (_, written, value) => {
  expect(resolved(written)).toEqual({ config: { it: value }, unknown: [], sensitive: expect.any(Array), problems: [] });
});

test('what is unknown stands as written, and says so', () => {
  expect(resolved(['a', { b: 'x ${new.ip} ${db.host}' }])).toEqual({
    config: { it: ['a', { b: 'x ${new.ip} ${db.host}' }] },
    unknown: ['it.1.b'],
    sensitive: [],
    problems: [],
  });
});

test('what comes from sensitive outputs or secrets says so', () => {
  const config = { a: 'u:${db.password}', b: 'secret://file/x', c: '${new.key}', d: 'open' };
  const { config: clear, sensitive } = resolveConfig(config, lookup);
  expect(sensitive).toEqual(['a', 'b', 'c']);
  expect(clear).toEqual({ ...config, a: 'u:pw' });
});

test.each([
  ['${}', 'refers to nothing', 0],
  ['x ${db.', 'never closed', 2],
  ['${db}', 'does not say which output', 0],
  ['${db.}', 'no output behind the dot', 0],
  ['${db..x}', 'no output behind the dot', 0],
  ['${.x}', 'does not begin with the name', 0],
  ['${a b.c}', 'does not begin with the name', 0],
  ['${env:}', 'names no variable', 0],
  ['${env.HOME}', 'is not a variable', 0],
])('%s is malformed', (text, message, offset) => {
  const [problem] = parseTemplate(text).problems;
  expect(problem?.message).toContain(message);
  expect(problem?.offset).toBe(offset);
  expect(problem?.hint).toContain('${');
});

test('a missing output of something settled is a mistake, with what was likely meant', () => {
  expect(resolved('${db.hots}').problems).toEqual([
    { path: 'it', message: "'db' has no output 'hots'", hint: "did you mean 'host'?" },
  ]);
  expect(resolved('${nobody.id}').problems).toEqual([{ path: 'it', message: 'no nobody' }]);
});

test('a variable and a resource cannot be taken for each other', () => {
  expect(parseTemplate('${env:db.host}').problems).toHaveLength(1);
  expect(parseTemplate('${env:DB:-a.b}').parts).toEqual([
    { kind: 'variable', name: 'DB', fallback: 'a.b', written: '${env:DB:-a.b}' },
  ]);
});

test('settling keeps a template: resolving it later gives what resolving at once would have given', () => {
  const config = {
    a: '${db.text} $${x} ${new.ip}',
    e: '${db.dollar}{x} ${new.ip}',
    f: '${db.dollar}${new.ip}',
    b: '${db.tags}',
    c: '${db.text}',
    d: 'plain $${y}',
  };
  const settled = settleConfig(config, (reference) => (reference.name === 'db' ? valueOf(reference.field) : undefined));
  expect(settled).toEqual({
    a: 'has $${x.y} in it $${x} ${new.ip}',
    e: 'a$${x} ${new.ip}',
    f: '${db.dollar}${new.ip}',
    b: { a: ['x', 'y'] },
    c: 'has $${x.y} in it',
    d: 'plain $${y}',
  });
  const late: Lookup = (reference) =>
    reference.name === 'new' ? { known: true, value: '10.0.0.1', sensitive: false } : lookup(reference);
  expect(resolveConfig(settled, late).config).toEqual(resolveConfig(config, late).config);
});

function valueOf(field: string): { value: Json } {
  return { value: db.outputs[field] ?? null };
}

test('references are listed once', () => {
  expect(referencesIn({ a: '${x.id} ${x.id} ${y.b}', b: ['$${no.t}', '${y.b}'] }).map((one) => one.written)).toEqual([
    '${x.id}',
    '${y.b}',
  ]);
});

test('what has no reference is not copied', () => {
  const config = { a: { b: ['x'] }, c: '${db.host}' };
  const after = resolveConfig(config, lookup).config;
  expect(after.a).toBe(config.a);
});

test('paths', () => {
  expect(related('env[0].name', 'env.0')).toBe(true);
  expect(related('env', 'environment')).toBe(false);
  expect(liesIn('env.A', 'env')).toBe(true);
  expect(liesIn('env', 'env.A')).toBe(false);
  expect(valueAt({ a: [{ b: 1 }] }, 'a[0].b')).toBe(1);
});

test('an output that looks like a secret reference is not one', () => {
  const { config, sensitive } = resolveConfig({ a: '${x.y}', b: 'secret://env/B' }, () => ({
    known: true,
    value: 'secret://env/A',
    sensitive: false,
  }));
  expect(config).toEqual({ a: 'secret://env/A', b: 'secret://env/B' });
  expect(sensitive).toEqual(['b']);
  expect(writtenSecrets({ a: '${x.y}', b: ['secret://env/B'] })).toEqual([{ reference: 'secret://env/B', path: 'b.0' }]);
});
