import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseManifest, readPluginDirectory } from './plugin-directory.ts';

test('a manifest needs a name and a version', () => {
  expect(parseManifest('f', '{"name":"aws","version":"v1.2.3","author":"x"}')).toEqual({
    name: 'aws',
    version: 'v1.2.3',
    description: '',
  });
  for (const text of ['', '[', 'null', '{}', '{"name":"Aws","version":"1"}', '{"name":"aws"}', '{"name":7,"version":"1"}']) {
    expect(() => parseManifest('f', text)).toThrow(/^read f: /);
  }
});

test('what is missing in a directory is said', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'errand-plugin-directory-'));
  try {
    const folder = join(directory, 'echo');
    await expect(readPluginDirectory(folder)).rejects.toMatchObject({ code: 'provider/unknown' });
    await mkdir(folder);
    await writeFile(join(folder, 'plugin.json'), '{"name":"echo","version":"1.0.0"}');
    await expect(readPluginDirectory(folder)).rejects.toThrow(/looked for the plugin’s program .*ENOENT/);
    await writeFile(join(folder, 'echo'), '', { mode: 0o644 });
    await expect(readPluginDirectory(folder)).rejects.toThrow(/EACCES/);
    await rm(join(folder, 'echo'));
    await mkdir(join(folder, 'echo'));
    await expect(readPluginDirectory(folder)).rejects.toThrow(/not a file/);
  } finally {
    await rm(directory, { recursive: true });
  }
});
