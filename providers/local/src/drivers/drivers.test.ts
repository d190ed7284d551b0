import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Attributes, Driver, ResourceSpec, SecretCall } from '@errand/contract';
import { processOf } from '../processes.ts';
import { createInfra } from './index.ts';
import { openRecords, sha256 } from './records.ts';

async function openWorld() {
  const base = await mkdtemp(join(tmpdir(), 'errand-local-infra-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [home, root] = [join(base, 'home'), join(base, 'root')];
  await mkdir(root);
  const infra = createInfra(home, { root });
  const said: string[] = [];
  const call = (key = 'key'): SecretCall => ({
    signal: new AbortController().signal,
    log: (line) => void said.push(line),
    key,
    epoch: 1,
    secret: async () => 'hush hush',
  });
  const driver = (type: string): Driver => {
    const found = infra.drivers.get(type);
    if (!found) throw new Error(type);
    return found;
  };
  return {
    root,
    home,
    infra,
    said,
    call,
    file: driver('local.file'),
    directory: driver('local.directory'),
    process: driver('local.process'),
  };
}

const spec = (type: string, config: Attributes, name = 'it'): ResourceSpec => ({ name, type, config, dependsOn: [] });
const fileSpec = (path: string, content = 'text', name = 'it') => spec('local.file', { path, content }, name);

test('a relative path stays below the directory, links included; an absolute one is taken at its word', async () => {
  const { file, root, call } = await openWorld();
  const outside = await mkdtemp(join(tmpdir(), 'errand-outside-'));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  await symlink(outside, join(root, 'way-out'));
  for (const path of ['../x', 'a/../../x', 'way-out/x', 'way-out/deep/x']) {
    await expect(file.create(fileSpec(path), call())).rejects.toMatchObject({
      code: 'provider/refused',
      next: expect.stringMatching(/absolute/) as string,
    });
  }
  expect(await readdir(outside)).toEqual([]);
  await file.create(fileSpec(join(outside, 'x')), call());
  expect(await readFile(join(outside, 'x'), 'utf8')).toBe('text');
});

test('a file that was changed by hand is seen as changed, and mended', async () => {
  const { file, root, call } = await openWorld();
  const wanted = fileSpec('a/b');
  const made = await file.create(wanted, call());
  await writeFile(join(root, 'a/b'), 'by hand');
  await chmod(join(root, 'a/b'), 0o600);
  const seen = await file.read(made, call());
  const diff = seen && (await file.diff(wanted, seen, call()));
  expect(diff?.changes.map((change) => change.path)).toEqual(['content', 'mode']);
  await file.update(made, wanted, call('again'));
  expect(await readFile(join(root, 'a/b'), 'utf8')).toBe('text');
  expect((await stat(join(root, 'a/b'))).mode & 0o777).toBe(0o644);
});

test('a secret’s plaintext is in the file only, and a change by hand is seen without knowing it', async () => {
  const { file, root, home, call } = await openWorld();
  const wanted = fileSpec('s', 'secret://env/S');
  const made = await file.create(wanted, call());
  expect(await readFile(join(root, 's'), 'utf8')).toBe('hush hush');
  expect(made.sensitive).toEqual(['sha256']);
  for (const name of await readdir(join(home, 'infra/records'))) {
    expect(await readFile(join(home, 'infra/records', name), 'utf8')).not.toContain('hush');
  }
  expect(await file.diff(wanted, made, call())).toMatchObject({ needsUpdate: false });
  await writeFile(join(root, 's'), 'by hand');
  const seen = await file.read(made, call());
  expect(seen && (await file.diff(wanted, seen, call()))).toMatchObject({ needsUpdate: true });
});

test('directories made on the way go with the last file in them; others stay', async () => {
  const { file, root, call } = await openWorld();
  await mkdir(join(root, 'mine'));
  const one = await file.create(fileSpec('mine/new/one', '1', 'one'), call('1'));
  const two = await file.create(fileSpec('mine/new/two', '2', 'two'), call('2'));
  await file.delete(one, call());
  expect(existsSync(join(root, 'mine/new/two'))).toBe(true);
  await file.delete(two, call());
  expect(await readdir(root)).toEqual(['mine']);
  expect(await readdir(join(root, 'mine'))).toEqual([]);
});

test('what was not made here is left in place, and said so; what was adopted and updated is ours', async () => {
  const { file, root, said, call } = await openWorld();
  await writeFile(join(root, 'theirs'), 'text');
  const ref = file.adopt?.(fileSpec('theirs'));
  expect(ref && (await file.read(ref, call()))).toMatchObject({ outputs: { size: 4 } });
  if (!ref) return;
  await file.delete(ref, call());
  expect(existsSync(join(root, 'theirs'))).toBe(true);
  expect(said.join()).toContain('left');
  await file.update(ref, fileSpec('theirs', 'ours now'), call());
  await file.delete(ref, call());
  expect(existsSync(join(root, 'theirs'))).toBe(false);
});

test.each(['making', 'deleting'] as const)('a file put there after a crash while %s is not ours', async (status) => {
  const { file, root, home, call } = await openWorld();
  const path = join(root, 'x');
  openRecords(home).put({ type: 'local.file', root, name: 'it', key: 'key', id: path, status, sha256: sha256('text') });
  await writeFile(path, 'somebody else’s');
  await expect(file.create(fileSpec('x'), call())).rejects.toMatchObject({ code: 'provider/conflict' });
  expect(await file.read({ name: 'it', type: 'local.file' }, call())).toBeUndefined();
  await file.delete({ name: 'it', type: 'local.file', providerId: path }, call());
  expect(await readFile(path, 'utf8')).toBe('somebody else’s');
});

test('a directory with something in it goes only by force', async () => {
  const { directory, root, call } = await openWorld();
  const wanted = spec('local.directory', { path: 'd' });
  const made = await directory.create(wanted, call());
  await writeFile(join(root, 'd/x'), '');
  await expect(directory.delete(made, call())).rejects.toMatchObject({ code: 'provider/refused' });
  await directory.update(made, spec('local.directory', { path: 'd', force: true }), call());
  await directory.delete(made, call());
  expect(await readdir(root)).toEqual([]);
});

test('a process gets its secrets, is gone when it ended by itself, and ends by force when it does not listen', async () => {
  const { process: driver, root, call } = await openWorld();
  const script = 'trap "" TERM; echo "$TOKEN" > said; while :; do sleep 0.05; done';
  const made = await driver.create(
    spec('local.process', { command: script, env: { TOKEN: 'secret://env/T' }, grace: 0.2 }),
    call(),
  );
  await expect.poll(() => readFile(join(root, 'said'), 'utf8').catch(() => '')).toBe('hush hush\n');
  const pid = Number(made.outputs['pid']);
  await driver.delete(made, call());
  expect(processOf(pid)).toBeUndefined();
  const short = await driver.create(spec('local.process', { command: ['/bin/sleep', '0.5'] }), call('short'));
  await expect.poll(() => driver.read(short, call()), { timeout: 5_000 }).toBeUndefined();
  // Its name is free again.
  const next = await driver.create(spec('local.process', { command: ['/bin/sleep', '600'] }), call('next'));
  await driver.delete(next, call());
});

test('a command that cannot be run is told with what it said, and leaves nothing', async () => {
  const { process: driver, home, call } = await openWorld();
  const wanted = spec('local.process', { command: ['/no/such/program'] });
  await expect(driver.create(wanted, call())).rejects.toMatchObject({
    code: 'provider/failed',
    message: expect.stringContaining('/no/such/program') as string,
  });
  expect(await readdir(join(home, 'infra/records'))).toEqual([]);
  expect(await readdir(join(home, 'infra/claims'))).toEqual([]);
});

test('the validator tells at plan time what would be refused', async () => {
  const { infra, call } = await openWorld();
  const actions = [
    spec('local.file', { path: 'x', content: 'y', mode: 644 }, 'bad-mode'),
    spec('local.file', { path: 'x', content: '${db.host}', mode: 644 }, 'unknown-yet'),
    spec('local.process', { command: [], colour: 'red' }, 'bad-process'),
  ].map((resource) => ({ action: 'create' as const, resource, changes: [], resolvedConfigHash: '' }));
  const found = await infra.validator?.validate({ id: 'p', createdAt: 0, desiredHash: '', inputs: {}, actions }, call());
  expect(found?.map((one) => one.resource)).toEqual(['bad-mode', 'bad-process']);
  expect(found?.[0]?.message).toContain('mode');
});
