// Plugins that behave, and plugins that do not: a typed error in time, and no process or socket left over.
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTo } from '../served.ts';
import { launchPlugin } from '../../src/launch/launch.ts';
import type { LaunchOptions } from '../../src/launch/launch.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'errand-launch-'));
});
afterAll(() => rm(root, { recursive: true }));

const manifest = JSON.stringify({ name: 'tested', version: '1.2.3', author: 'a', description: 'd' });

/** A plugin whose executable is a shell script. It leaves its process number behind. */
async function plugin(script: string, json = manifest): Promise<string> {
  const directory = await mkdtemp(join(root, 'plugin-'));
  const executable = join(directory, directory.slice(root.length + 1));
  await writeFile(join(directory, 'plugin.json'), json);
  await writeFile(executable, `#!/bin/sh\necho $$ > pid\n${script}\n`);
  await chmod(executable, 0o755);
  return directory;
}

const launch = (directory: string, change: Partial<LaunchOptions> = {}) =>
  launchPlugin({
    directory,
    environment: { PATH: process.env['PATH'] ?? '', SECRET: 'x', LC_ALL: 'C' },
    startTimeout: 20_000,
    ...change,
  });

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const program = [process.execPath, join(import.meta.dirname, '../programs/plugin.ts')].map(quoted).join(' ');

async function isAlive(directory: string, file = 'pid'): Promise<boolean> {
  const pid = (await readFile(join(directory, file), 'utf8')).trim();
  const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return status !== '' && !/\) Z /.test(status);
}

describe('a plugin that behaves', () => {
  test('is launched, drained, used over its socket, and ends when asked', async () => {
    const directory = await plugin(`exec ${program}`);
    await using launched = await launch(directory, {
      pass: ['ALSO'],
      environment: { PATH: process.env['PATH'] ?? '', SECRET: 'x', ALSO: 'y' },
    });
    expect(launched.manifest).toEqual({ name: 'tested', version: '1.2.3' });
    await using provider = await connectTo(launched.address);
    const seen = provider.served.name.split(' ').filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
    expect(seen).toEqual([
      'ALSO',
      'PATH',
      'PLUGIN_MAX_PORT',
      'PLUGIN_MIN_PORT',
      'PLUGIN_PROTOCOL_VERSIONS',
      'PLUGIN_UNIX_SOCKET_DIR',
      'WORKFLOW_PLUGIN',
    ]);
    await expect.poll(() => launched.stderr()).toContain('stdio is drained');
    const socket = launched.address.slice('unix:'.length);
    expect(existsSync(socket)).toBe(true);
    expect(await launched.stop()).toBe('asked');
    expect(await launched.stop()).toBe('asked');
    expect(await launched.ended).toBe('it ended with exit code 0');
    expect([existsSync(socket), await isAlive(directory)]).toEqual([false, false]);
  });

  test('that does not end when asked is forced, with what it started', async () => {
    const directory = await plugin(`sleep 1000 & echo $! > child\nPLUGIN_TEST=stubborn exec ${program}`);
    const launched = await launch(directory);
    expect(await launched.stop()).toBe('forced');
    expect(await launched.ended).toBe('it was ended by SIGKILL');
    await expect.poll(async () => [await isAlive(directory), await isAlive(directory, 'child')]).toEqual([false, false]);
  });

  test('that dies by itself is told, and takes what it started with it', async () => {
    const directory = await plugin('sleep 1000 & echo $! > child\necho "1|1|unix|/tmp/none|grpc"; sleep 0.3; exit 4');
    await using launched = await launch(directory);
    expect(await launched.ended).toBe('it ended with exit code 4');
    await expect.poll(() => isAlive(directory, 'child')).toBe(false);
  });
});

describe('a plugin that does not', () => {
  test.each([
    ['says nothing and ends', 'echo last words >&2; exit 3', ['exit code 3', 'last words']],
    ['says nothing and stays', 'sleep 1000', ['within 1 s']],
    ['closes its output and stays', 'exec >&-; sleep 1000', ['instead of saying']],
    ['writes a line without an end', "head -c 200000 /dev/zero | tr '\\000' x; sleep 1000", ['instead of saying']],
    ['says something else', 'echo Hello; sleep 1000', ['Hello', 'no handshake']],
    ['has another version', "echo '2|1|unix|/tmp/x|grpc'; sleep 1000", ['version']],
    ['listens to the world', "echo '1|1|tcp|0.0.0.0:80|grpc'; sleep 1000", ['this machine']],
    [
      'writes much to stderr first',
      'i=0; while [ $i -lt 20000 ]; do echo "noise noise noise noise $i" >&2; i=$((i+1)); done; exit 1',
      ['noise 19999'],
    ],
    ['is killed', 'kill -9 $$', ['SIGKILL']],
  ])('%s', async (_name, script, words) => {
    const directory = await plugin(script);
    const before = Date.now();
    const error: unknown = await launch(directory, { startTimeout: words[0] === 'within 1 s' ? 1_000 : 20_000 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'provider/failed' });
    for (const word of words) expect((error as Error).message).toContain(word);
    expect((error as Error).message.length).toBeLessThan(5_000);
    expect(Date.now() - before).toBeLessThan(15_000);
    await expect.poll(() => isAlive(directory)).toBe(false);
  });

  test('1 GB of stdout after the greeting is read and thrown away', async () => {
    const directory = await plugin("echo '1|1|unix|/tmp/none|grpc'; head -c 1000000000 /dev/zero; echo done >&2; sleep 1000");
    const launched = await launch(directory);
    const { rss } = process.memoryUsage();
    await expect.poll(() => launched.stderr(), { timeout: 100_000, interval: 100 }).toBe('done');
    expect(process.memoryUsage().rss - rss).toBeLessThan(200_000_000);
    expect(await launched.stop()).toBe('forced');
  });

  test('a launch that is given up leaves nothing behind', async () => {
    const directory = await plugin('sleep 1000');
    const enough = new Error('enough');
    const controller = new AbortController();
    setTimeout(() => controller.abort(enough), 300);
    await expect(launch(directory, { signal: controller.signal })).rejects.toBe(enough);
    await expect.poll(() => isAlive(directory)).toBe(false);
  });

  test('there is no executable, or none that may be executed', async () => {
    const directory = join(root, 'empty');
    await mkdir(directory);
    await writeFile(join(directory, 'plugin.json'), manifest);
    await expect(launch(directory)).rejects.toThrow('could not be executed');
    await writeFile(join(directory, 'empty'), '#!/bin/sh\n', { mode: 0o644 });
    await expect(launch(directory)).rejects.toThrow('could not be executed');
  });

  test.each([
    ['not json'],
    ['null'],
    ['{}'],
    ['{"name":"Bad Name","version":"1.2.3"}'],
    ['{"name":"good","version":"1.2.3-rc1"}'],
  ])('the manifest is %s', async (json) => {
    await expect(launch(await plugin('true', json))).rejects.toMatchObject({ code: 'config/invalid' });
  });

  test('no socket directory stays', async () => {
    const before = process.env['TMPDIR'];
    const own = await mkdtemp(join(root, 'tmp-'));
    process.env['TMPDIR'] = own;
    try {
      await expect(launch(await plugin('ls "$PLUGIN_UNIX_SOCKET_DIR/.." >&2; exit 1'))).rejects.toThrow('errand-plugin-');
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    expect(await readdir(own)).toEqual([]);
  });
});
