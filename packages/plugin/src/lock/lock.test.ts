import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPluginDirectory } from '../launch/plugin-directory.ts';
import { emptyLock, formatLock, parseLock, refusalOf, withPin } from './lock-file.ts';
import { lockPlugin, verifyPlugin } from './verify.ts';

const digest = (digit: string) => digit.repeat(64);
const found = { name: 'aws', version: '1.0.0', platform: 'linux-x64', digest: digest('a') };

test('only what was locked, for this platform, is let through', () => {
  const lock = withPin(emptyLock, found);
  expect(refusalOf(lock, found)).toBeUndefined();
  expect(refusalOf(lock, { ...found, digest: digest('b') })).toMatch(
    /has the SHA-256 b+, and the lock says a+ \(version 1\.0\.0\)/,
  );
  expect(refusalOf(lock, { ...found, platform: 'darwin-arm64' })).toMatch(/not for darwin-arm64/);
  expect(refusalOf(lock, { ...found, name: 'gcp' })).toMatch(/is not in the lock/);
  expect(refusalOf(emptyLock, { ...found, name: 'constructor' })).toMatch(/is not in the lock/);
});

test('another platform joins in; another version starts over', () => {
  const both = withPin(withPin(emptyLock, found), { ...found, platform: 'darwin-arm64', digest: digest('c') });
  expect(Object.keys(both.providers['aws']?.sha256 ?? {})).toEqual(['linux-x64', 'darwin-arm64']);
  const newer = withPin(both, { ...found, version: '1.1.0', digest: digest('d') });
  expect(newer.providers['aws']).toEqual({ version: '1.1.0', sha256: { 'linux-x64': digest('d') } });
});

test('the same pins give the same bytes, which read back', () => {
  const one = withPin(withPin(emptyLock, found), { ...found, name: 'abc' });
  const other = withPin(withPin(emptyLock, { ...found, name: 'abc' }), found);
  expect(formatLock(one)).toBe(formatLock(other));
  expect(parseLock(formatLock(one), 'x')).toEqual(one);
});

test.each([
  '',
  '[]',
  '{}',
  '{"version":2,"providers":{}}',
  '{"version":1,"providers":{"a":{"version":"1","sha256":{"x":"short"}}}}',
])('the lock %j is refused', (text) => {
  expect(() => parseLock(text, 'errand.lock')).toThrow(/read the lock errand\.lock: /);
});

test('a plugin is refused until it is locked, and again when it changed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'errand-lock-'));
  try {
    const folder = join(directory, 'echo');
    const lockFile = join(directory, 'errand.lock');
    await mkdir(folder);
    await writeFile(join(folder, 'plugin.json'), '{"name":"echo","version":"1.0.0"}');
    await writeFile(join(folder, 'echo'), '#!/bin/sh\n', { mode: 0o755 });
    const plugin = await readPluginDirectory(folder);
    const refused = {
      code: 'provider/untrusted',
      next: expect.stringMatching(/errand provider lock.* SHA-256 is [0-9a-f]{64}/) as string,
    };
    await expect(verifyPlugin(plugin, lockFile)).rejects.toMatchObject(refused);
    await lockPlugin(plugin, lockFile);
    await verifyPlugin(plugin, lockFile);
    await writeFile(join(folder, 'echo'), '#!/bin/sh\nevil\n');
    await expect(verifyPlugin(plugin, lockFile)).rejects.toMatchObject(refused);
    expect(await readFile(lockFile, 'utf8')).toMatch(/\n$/);
  } finally {
    await rm(directory, { recursive: true });
  }
});
