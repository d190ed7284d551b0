import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { launchPlugin } from '../../src/launch/launch.ts';
import { createBed, echoProgram, expectNothingLeft, isGone, records, until } from '../bed.ts';
import { call } from '../programs/echo-service.ts';

const echoArgv = [process.execPath, echoProgram];

test.each([
  ['unix', 'prefer', true],
  ['unix', 'off', false],
  ['tcp', 'prefer', true],
  ['tcp', 'off', false],
] as const)(
  'a plugin of ours on %s with tls: %s is launched, answers, and goes away without a trace',
  async (network, tls, secure) => {
    await using bed = await createBed();
    const directory = await bed.program(echoArgv, 'echo');
    await using plugin = await launchPlugin(bed.options(directory, { tls, env: { ECHO_NETWORK: network } }));
    expect(plugin.secure).toBe(secure);
    expect(plugin.connection.address.startsWith('unix:')).toBe(network === 'unix');
    const texts = Array.from({ length: 200 }, (_, index) => `${index}`);
    const replies = await Promise.all(texts.map((text) => call(plugin.client, 'say', text)));
    expect(replies.map(String)).toEqual(texts);
    if (network === 'unix') {
      const sockets = dirname(plugin.connection.address.slice('unix:'.length));
      expect((await stat(sockets)).mode & 0o777).toBe(0o700);
      await plugin.stop();
      await expect(readdir(sockets)).rejects.toThrow(/ENOENT/);
    } else await plugin.stop();
    expect(await plugin.ended).toEqual({ code: 0, signal: null });
    expect(bed.lines).toEqual(['closed']);
    await plugin.stop();
    await expectNothingLeft(bed);
  },
);

test('the plugin sees nothing of our environment but what is on the list', async () => {
  await using bed = await createBed();
  process.env['ERRAND_TEST_TOKEN'] = 'secret';
  try {
    await using plugin = await launchPlugin(bed.options(await bed.program(echoArgv, 'echo'), { env: { REGION: 'north' } }));
    const seen = JSON.parse(String(await call(plugin.client, 'environment', ''))) as Record<string, string>;
    expect(seen).toMatchObject({ REGION: 'north', PATH: process.env['PATH'] });
    expect(Object.keys(seen)).not.toContain('ERRAND_TEST_TOKEN');
  } finally {
    delete process.env['ERRAND_TEST_TOKEN'];
  }
});

test('replies beyond 4 MiB come through; one beyond our limit is an error of that call alone', async () => {
  await using bed = await createBed();
  await using plugin = await launchPlugin(bed.options(await bed.program(echoArgv, 'echo')));
  expect((await call(plugin.client, 'big', String(10_000_000))).length).toBe(10_000_000);
  await expect(call(plugin.client, 'big', String(65 * 1024 * 1024))).rejects.toThrow(/RESOURCE_EXHAUSTED/);
  expect(String(await call(plugin.client, 'say', 'still there'))).toBe('still there');
});

test('a plugin that dies ends the calls in flight, and leaves no trace', async () => {
  await using bed = await createBed();
  await using plugin = await launchPlugin(bed.options(await bed.program(echoArgv, 'echo')));
  const hanging = call(plugin.client, 'hang', '');
  const dying = call(plugin.client, 'die', '');
  await expect(hanging).rejects.toThrow(/UNAVAILABLE|CANCELLED/);
  await expect(dying).rejects.toThrow(/UNAVAILABLE|CANCELLED/);
  expect(await plugin.ended).toEqual({ code: 3, signal: null });
  expect(plugin.epitaph()).toMatch(/ended with exit status 3/);
  await until(async () => (await records(bed.home)).length === 0);
  await expectNothingLeft(bed);
});

test('a record names the process while it lives', async () => {
  await using bed = await createBed();
  const directory = await bed.program(echoArgv, 'echo');
  await using plugin = await launchPlugin(bed.options(directory));
  expect(await records(bed.home)).toMatchObject([{ host: { pid: process.pid }, plugin: { pid: plugin.pid }, directory }]);
  await plugin.stop();
  expect(isGone(plugin.pid)).toBe(true);
});

test('aborting a launch ends what was launched', async () => {
  await using bed = await createBed();
  const directory = await bed.script('setInterval(() => {}, 1000)');
  const abort = new AbortController();
  const launching = launchPlugin(bed.options(directory, { signal: abort.signal }));
  await until(async () => (await records(bed.home)).length === 1);
  abort.abort(new Error('enough'));
  await expect(launching).rejects.toThrow('enough');
  await expectNothingLeft(bed);
});

test('run by hand, a plugin of ours says what it is and what to do', async () => {
  const { WORKFLOW_PLUGIN: _, ...env } = process.env;
  const run = promisify(execFile)(process.execPath, [echoProgram], { env, timeout: 20_000 });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/provider plugin[^]*next: /) as string,
  });
});

test('a plugin of ours that cannot open says why before it ends, and its host passes it on', async () => {
  await using bed = await createBed();
  const serve = JSON.stringify(join(dirname(echoProgram), '../../src/serve/serve-plugin.ts'));
  const source = `import { servePlugin } from ${serve};
    await servePlugin({ name: 'probe', open: () => Promise.reject(new Error('no such region')) });`;
  await expect(launchPlugin(bed.options(await bed.script(source)))).rejects.toMatchObject({
    code: 'provider/failed',
    message: expect.stringMatching(/exit status 1[^]*probe: could not start: no such region/) as string,
  });
  await expectNothingLeft(bed);
});
