// What a newcomer gets wrong: each time a message with a place and a next step, 125, and nothing is changed.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePlace } from './errand.ts';
import type { Place } from './errand.ts';

const declare = (place: Place, resources: string, more = '') =>
  writeFile(
    join(place.directory, 'errand.yaml'),
    `infra:\n  providers: { here: { use: local } }\n  resources:\n${resources}\n${more}`,
  );
const file = (name: string, keys: string) => `    ${name}: { type: local.file, config: { path: ${name}.txt, ${keys} } }`;

const made = async (place: Place) => (await readdir(place.directory)).filter((name) => name.endsWith('.txt'));

test.each([
  ['a name twice', `${file('a', 'content: x')}\n${file('a', 'content: y')}`, "5:5: error: the key 'a' is here twice"],
  ['a circle', `${file('a', "content: '${b.id}'")}\n${file('b', "content: '${a.id}'")}`, '4:5: error: '],
  ['an unknown type', '    a: { type: local.fil }', "4:5: error: a: the provider 'here' has no type 'local.fil'"],
  ['an unknown key', file('a', 'contents: x'), "4:51: error: a: 'local.file' has no key 'contents'"],
  ['a bad reference', file('a', "content: '${b.id}'"), "error: a: content: there is no resource 'b'"],
])('%s', async (_, resources, message) => {
  await using place = await makePlace();
  await declare(place, resources);
  for (const command of [['plan'], ['apply', '--yes'], ['validate']]) {
    const ended = await place.errand('infra', ...command);
    expect(ended.status).toBe(125);
    expect(ended.out + ended.err).toContain(`${join(place.directory, 'errand.yaml')}:`);
    expect(ended.out + ended.err).toContain(message);
    expect(ended.err).not.toMatch(/\n +at /);
  }
  expect(await made(place)).toEqual([]);
});

test('overlays are checked with the rest, without their secrets; config check reads the section too', async () => {
  await using place = await makePlace();
  await declare(
    place,
    file('a', 'content: secret://env/NOWHERE'),
    '  environments: { prod: { resources: { b: { type: local.file, config: { path: "${c.id}" } }, c: { type: local.dir } } } }\n',
  );
  const validated = await place.errand('infra', 'validate');
  expect(validated.status).toBe(125);
  expect(validated.out).toContain("c: the provider 'here' has no type 'local.dir' (with --env prod)");
  expect(validated.out).toContain('infra: default 1 resource, prod 3 resources, 1 error');
  expect(await place.errand('infra', 'validate', '--env', 'default')).toMatchObject({ status: 0 });

  expect((await place.errand('config', 'check')).out).toBe('errand.yaml: 2 environments, 2 stacks, no problems\n');
  await declare(place, file('a', "content: '${b.id}'"));
  const checked = await place.errand('config', 'check');
  expect(checked).toMatchObject({ status: 125 });
  expect(checked.out).toContain("a: content: there is no resource 'b'");
});

test('names that are not there, an edited plan, and what is no credential', async () => {
  await using place = await makePlace();
  await declare(place, file('a', 'content: x'), '  outputs: { none: { value: "${a.shasum}" } }\n');
  const refused = async (line: string, ...messages: string[]) => {
    const ended = await place.errand('infra', ...line.split(' '));
    expect([line, ended.status]).toEqual([line, 125]);
    for (const message of messages) expect(ended.err).toContain(message);
    expect(ended.err).toContain('  next: ');
  };
  await refused('apply --yes --allow b', "there is no resource 'b'");
  expect((await place.errand('infra', 'plan', '--out', 'p.json')).status).toBe(0);
  const plan = await readFile(join(place.directory, 'p.json'), 'utf8');
  await writeFile(join(place.directory, 'edited.json'), plan.replace('a.txt', 'other.txt'));
  await refused('apply edited.json', 'it was edited since it was written');
  await refused('apply p.json --allow b', "there is no resource 'b'");
  expect(await made(place)).toEqual([]);

  const applied = await place.errand('infra', 'apply', 'p.json');
  expect(applied.status).toBe(1);
  expect(applied.err).toContain(
    "outputs.none: resolving failed: 'a' has no output 'shasum'; It has: id, path, sha256, size, mode.",
  );
  await declare(place, file('a', 'content: x'));
  await refused('rotate a', 'wanted to rotate a', 'it is no credential');
  await refused('import --all cloud local.file', "looked for provider 'cloud'", 'Known are: here.');
  expect((await place.errand('infra', 'plan')).out).toContain('No changes');
});
