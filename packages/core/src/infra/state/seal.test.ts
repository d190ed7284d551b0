import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keyFileName, readStateKey } from './key-file.ts';
import { createVault, openAll } from './seal.ts';
import { fingerprinted, sealPaths } from './sealed-record.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'errand-seal-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const vaultIn = (name: string) => createVault(() => readStateKey(join(directory, name)));

test('what is sealed can be opened by whoever has the key, and says nothing', () => {
  const [one, same] = [vaultIn('a'), vaultIn('a')];
  for (const value of ['secret-ü', 7, null, { deep: ['x'] }]) {
    const sealed = one.seal(value);
    expect(JSON.stringify(sealed)).not.toContain('secret');
    expect(same.open(sealed)).toEqual(value);
  }
  const [first, second] = [one.seal('x'), one.seal('x')];
  expect(first.$sealed).not.toBe(second.$sealed);
  expect(first.$fingerprint).toBe(second.$fingerprint);
  expect(one.seal('y').$fingerprint).not.toBe(first.$fingerprint);
});

test('another key and a changed text are told apart', () => {
  const sealed = vaultIn('a').seal('x');
  expect(() => vaultIn('b').open(sealed)).toThrow(expect.objectContaining({ code: 'secret/missing' }));
  const [version, name, body = ''] = sealed.$sealed.split(':');
  const changed = `${version}:${name}:${body.slice(0, -2)}${body.endsWith('AA') ? 'BB' : 'AA'}`;
  expect(() => vaultIn('a').open({ ...sealed, $sealed: changed })).toThrow(expect.objectContaining({ code: 'state/corrupt' }));
  expect(() => vaultIn('a').open({ ...sealed, $sealed: '9:x:y' })).toThrow(expect.objectContaining({ code: 'state/corrupt' }));
});

test('the key is made once, for its owner alone, and one that others can read or that is none is refused', () => {
  const key = readStateKey(directory);
  expect(readStateKey(directory)).toEqual(key);
  const path = join(directory, keyFileName);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  expect(() => readStateKey(directory)).toThrow(
    expect.objectContaining({ code: 'secret/refused', next: `Run: chmod 600 ${path}` }),
  );
  chmodSync(path, 0o600);
  writeFileSync(path, 'short');
  expect(() => readStateKey(directory)).toThrow(expect.objectContaining({ code: 'secret/refused' }));
});

test('paths are sealed, references to secrets stay readable, and a hash sees neither', () => {
  const vault = vaultIn('a');
  const config = { dsn: 'postgres://x', list: [{ token: 5 }, 'secret://env/X'], open: 'yes' };
  const sealed = sealPaths(vault, config, ['dsn', 'list.0.token', 'list.1']);
  expect(JSON.stringify(sealed)).not.toContain('postgres');
  expect(sealed).toMatchObject({ list: [{}, 'secret://env/X'], open: 'yes' });
  expect(openAll(vault, sealed)).toEqual(config);
  expect(fingerprinted(sealed)).toEqual(fingerprinted(sealPaths(vault, config, ['dsn', 'list.0.token'])));
  expect(openAll(vault, config)).toBe(config);
});
