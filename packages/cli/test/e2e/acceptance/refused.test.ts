// What cannot work is refused with a typed message and the next step, and leaves nothing half-started.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Ended } from '../errand.ts';
import { expectNothingStarted, makeWorld, needs, node, places } from './world.ts';
import type { How, World } from './world.ts';

const request = ['--script', 'touch "$MARK"; echo started'];

async function refused(world: World, code: string, args: readonly string[], how: How = {}): Promise<Ended> {
  const mark = join(world.directory, 'mark');
  const ended = await world.startWith(how, 'run', '--json', '--env', `MARK=${mark}`, ...args, ...request).ended;
  expect(ended.status).toBe(125);
  expect(ended.err).toMatch(/^errand: \S/);
  expect(ended.err).toMatch(/\n {2}next: \S.*\n$/);
  expect(ended.err).not.toMatch(/\n\s+at \S/);
  const { error } = JSON.parse(ended.out) as { error: { code: string; next: string } };
  expect(error).toMatchObject({ code, next: expect.stringMatching(/\S/) });
  // The same whether it is run here or in the background.
  const detached = await world.startWith(how, 'run', '--detach', '--env', `MARK=${mark}`, ...args, ...request).ended;
  expect(detached).toMatchObject({ status: 125, out: '', err: ended.err });
  expect(world.living()).toEqual([]);
  expect(existsSync(mark)).toBe(false);
  return ended;
}

test('an unwritable data directory', async (context) => {
  await using world = await makeWorld();
  const closed = join(world.directory, 'closed');
  await mkdir(closed, { mode: 0o500 });
  // Root may write anywhere, so it becomes somebody else.
  const user = process.getuid?.() === 0 ? 65534 : undefined;
  if (user !== undefined) {
    await chmod(world.directory, 0o755);
    await chmod(closed, 0o755);
    needs(context, 'a Node that other users may run too', mayRunNode(user));
  }
  const how = user === undefined ? {} : { user };
  for (const home of [closed, join(closed, 'deeper', 'home')]) {
    expect((await refused(world, 'home/unwritable', ['--home', home], how)).err).toContain(closed);
  }
  expect(readdirSync(closed)).toEqual([]);
});

function mayRunNode(user: number): boolean {
  try {
    execFileSync(node, ['-e', '0'], { uid: user, gid: user, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a database that cannot be used', () => {
  const damages: [string, string, (file: string) => Promise<void>][] = [
    ['is not one at all', 'store/corrupt', (file) => writeFile(file, 'these are somebody’s notes\n'.repeat(1000))],
    ['lost its second half', 'store/corrupt', async (file) => truncate(file, Math.floor(readFileSync(file).length / 2))],
    ['lost all but its header', 'store/corrupt', async (file) => truncate(file, 100)],
    ['was overwritten in the middle', 'store/corrupt', (file) => writeFile(file, overwritten(readFileSync(file)))],
    [
      'was written by a newer Errand',
      'store/newer',
      async (file) => {
        using database = new DatabaseSync(file);
        database.exec(`UPDATE meta SET value = '9999' WHERE name = 'schema'`);
      },
    ],
  ];

  test.each(damages)('it %s', async (_name, code, damage) => {
    await using world = await makeWorld();
    for (const status of [0, 1, 2]) expect((await world.errand('run', '--script', `exit ${status}`)).status).toBe(status);
    const file = join(world.home, 'errand.db');
    await damage(file);
    const before = readFileSync(file);
    const around = readdirSync(world.home);
    expect((await refused(world, code, [])).err).toContain(file);
    expect((await world.errand('sweep')).status).toBe(125);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(world.home)).toEqual(around);
    expect(places(world.home)).toEqual([]);
    // The next step that the message names.
    if (code === 'store/corrupt') {
      await rm(file);
      expect((await world.errand('run', '--', 'true')).status).toBe(0);
    }
  });

  function overwritten(bytes: Buffer): Buffer {
    return Buffer.from(bytes).fill(0xa5, 4096, Math.min(bytes.length, 10 * 4096));
  }
});

const malformed = `environments:
  ci: { provider: locl }
  big: { extends: nobody }
  odd:
    provider: local
    timout: 5m
    timeout: soon
    resources: { memory: lots }
    env: { TOKEN: { secret: hunter2-hunter2 } }
  one: { extends: two }
  two: { extends: one }
  var: { provider: local, env: { A: "\${env:NOT_SET_ANYWHERE}" } }
store: mysql://host
extra: 1
`;

test('a malformed config: every problem at once, each with its place', async () => {
  await using world = await makeWorld();
  const file = join(world.directory, 'errand.yaml');
  await writeFile(file, malformed);
  const { err, out } = await refused(world, 'config/invalid', ['--on', 'odd']);
  const at = [...err.matchAll(/errand\.yaml:(\d+):(\d+): error: /g)].map((match) => `${match[1]}:${match[2]}`);
  expect(at.filter((place) => !/^1[01]:/.test(place))).toEqual([
    '2:19',
    '3:19',
    '6:5',
    '7:14',
    '8:26',
    '9:29',
    '12:37',
    '13:8',
    '14:1',
  ]);
  expect(at.some((place) => /^1[01]:/.test(place))).toBe(true);
  expect((JSON.parse(out) as { error: { diagnostics: unknown[] } }).error.diagnostics).toHaveLength(at.length);
  // It may be the secret itself that somebody wrote there.
  expect(err + out).not.toContain('hunter2');
  expect(existsSync(world.home)).toBe(false);
});

test('a config that is not YAML', async () => {
  await using world = await makeWorld();
  await writeFile(join(world.directory, 'errand.yaml'), 'environments:\n  ci: { provider: local\n  b: [\n\tx: 1\n');
  const { err } = await refused(world, 'config/invalid', []);
  expect(err.match(/errand\.yaml:\d+:\d+: error: /g)?.length).toBeGreaterThan(1);
  expect(existsSync(world.home)).toBe(false);
});

test('an unknown environment', async () => {
  await using world = await makeWorld();
  await writeFile(join(world.directory, 'errand.yaml'), 'environments:\n  staging: { provider: local }\n');
  expect((await refused(world, 'environment/unknown', ['--on', 'stagin'])).err).toContain(`did you mean 'staging'?`);
  await expectNothingStarted(world);
});

describe('a secret', () => {
  test.each([
    ['that is not set', 'secret/missing', 'secret://env/NOT_SET_ANYWHERE'],
    ['that is empty', 'secret/missing', 'secret://env/EMPTY'],
    ['whose file is missing', 'secret/missing', 'secret://file/absent'],
    ['whose file others may read', 'secret/refused', 'secret://file/open'],
    ['outside of its directory', 'secret/invalid', 'secret://file/../../private'],
    ['from an unknown store', 'secret/invalid', 'secret://vault/x'],
    ['given as its value', 'secret/invalid', 'hunter2-hunter2'],
  ])('%s', async (_name, code, reference) => {
    await using world = await makeWorld({ EMPTY: '' });
    const config = join(world.directory, 'config');
    const secrets = join(config, 'errand', 'secrets');
    await mkdir(secrets, { recursive: true, mode: 0o700 });
    await writeFile(join(secrets, 'open'), 'hunter2-hunter2', { mode: 0o644 });
    await chmod(join(secrets, 'open'), 0o644);
    await writeFile(join(config, 'private'), 'hunter2-hunter2', { mode: 0o600 });
    const how = { env: { XDG_CONFIG_HOME: config } };
    const { err, out } = await refused(world, code, ['--secret', `TOKEN=${reference}`], how);
    expect(err + out).not.toContain('hunter2');
    await expectNothingStarted(world);
  });
});
