import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePlace } from './errand.ts';
import type { Place } from './errand.ts';

async function refused(place: Place, ...args: readonly string[]) {
  const ended = await place.errand(...args);
  expect(ended.status).toBe(125);
  expect(ended.err).toMatch(/^errand: /);
  expect(ended.err).toContain('\n  next: ');
  expect(ended.err).not.toMatch(/\n\s+at /);
  return ended;
}

test('an unknown environment gets a suggestion', async () => {
  await using place = await makePlace();
  expect((await refused(place, 'run', '--on', 'locl', '--', 'true')).err).toContain("did you mean 'local'?");
});

test('a malformed config lists every problem with its place, for check and run alike', async () => {
  await using place = await makePlace();
  await writeFile(
    join(place.directory, 'errand.yaml'),
    'environments:\n  ci: { provider: locl }\n  big: { extends: nobody }\n  odd: { provider: local, timout: 5m }\n',
  );
  const run = await refused(place, 'run', '--on', 'ci', '--', 'true');
  const check = await place.errand('config', 'check');
  expect(check.status).toBe(125);
  for (const text of [run.err, check.out]) for (const line of [2, 3, 4]) expect(text).toContain(`errand.yaml:${line}:`);
  expect(JSON.parse((await place.errand('config', 'check', '--json')).out)).toMatchObject({
    diagnostics: [{ line: 2 }, { line: 3 }, { line: 4 }],
  });
});

test('init, config check, env and schema work together', async () => {
  await using place = await makePlace();
  expect((await place.errand('init')).status).toBe(0);
  expect(await place.errand('config', 'check')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^errand\.yaml: \d environments, no problems\n$/),
  });
  expect((await place.errand('env', 'list')).out).toMatch(/^ci +local /m);
  expect(await place.errand('env', 'check')).toMatchObject({ status: 0, out: expect.stringContaining('ci: ready') });
  expect((await place.errand('run', '--on', 'ci', '--script', 'echo $CI')).out).toBe('1\n');
  expect(JSON.parse((await place.errand('schema')).out)).toMatchObject({ properties: { environments: {} } });
});

test('an unwritable data directory', async () => {
  await using place = await makePlace();
  const file = join(place.directory, 'file');
  await writeFile(file, '');
  expect((await refused(place, 'run', '--home', join(file, 'home'), '--', 'true')).err).toContain('cannot use');
  const closed = join(place.directory, 'closed');
  await mkdir(closed);
  await chmod(closed, 0o500);
  // Root may write anywhere.
  if (process.getuid?.() !== 0) await refused(place, 'run', '--home', closed, '--', 'true');
});

test('a missing secret, before anything is started', async () => {
  await using place = await makePlace();
  const ended = await place.errand('run', '--secret', 'T=secret://env/NOT_SET_ANYWHERE', '--script', 'echo started');
  expect(ended).toMatchObject({ status: 125, out: '' });
  expect(ended.err).toContain('NOT_SET_ANYWHERE');
});

test('usage errors touch nothing', async () => {
  await using place = await makePlace();
  expect((await refused(place, 'rn')).err).toContain('did you mean errand run?');
  await refused(place, 'run', '--bogus', '--', 'true');
  await refused(place, 'show');
  expect(await readdir(place.directory)).toEqual([]);
});

test('unknown ids', async () => {
  await using place = await makePlace();
  for (const args of [['show'], ['wait'], ['logs'], ['cancel'], ['lease', 'release']]) {
    expect((await refused(place, ...args, 'nope')).err).toContain('nope');
  }
});
