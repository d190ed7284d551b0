import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataDirectory, defaultSecretDirectory } from './home.ts';

test('the data directory, in order of precedence', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'errand-home-'));
  const deep = join(cwd, 'a', 'b');
  await mkdir(deep, { recursive: true });
  const env = { HOME: '/home/x', XDG_STATE_HOME: '/state' };
  expect(dataDirectory({ env, cwd: deep })).toBe('/state/errand');
  expect(dataDirectory({ env: { HOME: '/home/x' }, cwd: deep, platform: 'linux' })).toBe('/home/x/.local/state/errand');
  expect(dataDirectory({ env: { HOME: '/home/x' }, cwd: deep, platform: 'darwin' })).toBe(
    '/home/x/Library/Application Support/errand',
  );
  await writeFile(join(cwd, 'errand.yaml'), '');
  expect(dataDirectory({ env, cwd: deep })).toBe(join(cwd, '.errand'));
  expect(dataDirectory({ env, cwd: deep, file: '/etc/errand/errand.yaml' })).toBe('/etc/errand/.errand');
  expect(dataDirectory({ env: { ...env, ERRAND_HOME: 'here' }, cwd: deep })).toBe(join(deep, 'here'));
  await rm(cwd, { recursive: true });
});

test('the secret directory', () => {
  expect(defaultSecretDirectory({ HOME: '/home/x' })).toBe('/home/x/.config/errand/secrets');
  expect(defaultSecretDirectory({ HOME: '/home/x', XDG_CONFIG_HOME: '/c' })).toBe('/c/errand/secrets');
});
