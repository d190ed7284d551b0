// A Go plugin under our host, and a plugin of ours under a Go host, both on hashicorp/go-plugin.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchPlugin } from '../../src/launch/launch.ts';
import { createBed, echoProgram, expectNothingLeft, isGone, until } from '../bed.ts';
import type { Bed } from '../bed.ts';
import { call } from '../programs/echo-service.ts';
import { buildGoPrograms } from './go.ts';
import type { GoPrograms } from './go.ts';

const run = promisify(execFile);

let built: GoPrograms | string = 'not built';
let go: GoPrograms;
beforeAll(async () => {
  built = await buildGoPrograms('go');
});
afterAll(async () => {
  if (typeof built !== 'string') await built[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (typeof built === 'string') context.skip(built);
  else go = built;
});

test.each(['prefer', 'off', 'require'] as const)(
  'our host launches a Go plugin with tls: %s, calls it, and stops it at once',
  async (tls) => {
    await using bed = await createBed();
    await using plugin = await launchPlugin(bed.options(await bed.program([go.plugin]), { tls }));
    expect(plugin.secure).toBe(tls !== 'off');
    const texts = Array.from({ length: 200 }, (_, index) => `${index}`);
    const replies = await Promise.all(texts.map((text) => call(plugin.client, 'say', text)));
    expect(replies.map(String)).toEqual(texts);
    expect((await call(plugin.client, 'big', '10000000')).length).toBe(10_000_000);
    const seen = String(await call(plugin.client, 'environment', '')).split('\n');
    expect(seen.filter((line) => line.startsWith('VITEST'))).toEqual([]);
    const begun = performance.now();
    await plugin.stop();
    expect(performance.now() - begun).toBeLessThan(1500);
    expect(await plugin.ended).toEqual({ code: 0, signal: null });
    expect(bed.lines.filter((line) => line.includes('did not end'))).toEqual([]);
    await expectNothingLeft(bed);
  },
);

test('a Go plugin that talks a lot is not held up, and its stderr is heard', async () => {
  await using bed = await createBed();
  await using plugin = await launchPlugin(bed.options(await bed.program([go.plugin])));
  await call(plugin.client, 'talk', '64');
  await until(() => bed.lines.includes('all written'));
});

test('a Go plugin that dies ends the calls in flight', async () => {
  await using bed = await createBed();
  await using plugin = await launchPlugin(bed.options(await bed.program([go.plugin])));
  const hanging = call(plugin.client, 'hang', '');
  await expect(call(plugin.client, 'die', '')).rejects.toThrow(/UNAVAILABLE|CANCELLED/);
  await expect(hanging).rejects.toThrow(/UNAVAILABLE|CANCELLED/);
  expect(await plugin.ended).toEqual({ code: 3, signal: null });
  await plugin.stop();
  await expectNothingLeft(bed);
});

async function goHost(bed: Bed, flags: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const directory = await bed.program([process.execPath, echoProgram], 'echo');
  const { stdout } = await run(go.host, [...flags, `${directory}/echo`], { env: { ...process.env, ...env }, timeout: 60_000 });
  return stdout;
}

test.each([
  ['unix', []],
  ['unix', ['-mtls']],
  ['tcp', []],
  ['tcp', ['-mtls']],
] as const)(
  'a Go host launches a plugin of ours on %s with %j, finds it healthy, calls it, and it ends cleanly',
  async (network, flags) => {
    await using bed = await createBed();
    const seen = JSON.parse(await goHost(bed, flags, { ECHO_NETWORK: network })) as Record<string, unknown>;
    expect(seen).toMatchObject({ network, said: 'hello', big: 10_000_000, exited: true, exitCode: 0 });
    // Beyond two seconds go-plugin kills.
    expect(seen['endedAfter']).toBeLessThan(1900);
  },
);

test('a plugin of ours ends by itself when its Go host is gone', async () => {
  await using bed = await createBed();
  const pid = Number(await goHost(bed, ['-vanish']));
  await until(() => isGone(pid));
});
