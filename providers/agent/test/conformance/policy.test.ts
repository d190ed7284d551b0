// What a client may ask for, seen from outside; every combination is in the policy's own test.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json, Provider } from '@errand/contract';
import { ask, makeBed } from '../bed.ts';
import type { Running } from '../bed.ts';
import { facets, finish, release, run, start, until } from '../jobs.ts';

const bed = makeBed();
const home = mkdtempSync(join(tmpdir(), 'errand-policy-'));
const marker = 'agents-own-environment';
const hashed = createHash('sha256').update(bed.token).digest('hex');
bed.write('tokens', `sha256:${hashed}\n`);
mkdirSync(bed.path('secrets'), { mode: 0o700 });
for (const name of ['shown', 'hidden']) writeFileSync(bed.path(`secrets/${name}`), `value-of-${name}\n`, { mode: 0o600 });
const config = bed.write(
  'agent.yaml',
  `policy: { profiles: [permissive], concurrency: 2, limits: { timeout: 4s, memory: 1Gi } }
secrets: { directory: secrets, allow: [shown, other/*] }
`,
);

let agent: Running;
let provider: Provider;
let options: Json;

beforeAll(async () => {
  agent = await bed.start({ args: ['--config', config], env: { ERRAND_TEST_MARKER: marker } });
  provider = await bed.open(home);
  options = bed.options(agent);
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await agent[Symbol.asyncDispose]();
  bed[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

const refused = { code: 'provider/refused' };

test('what is not allowed is refused when it is looked at, and when it is asked for', async () => {
  const strict = bed.options(agent, { profile: 'strict' });
  const problems = await provider.check?.({ resources: {}, options: strict }, ask);
  expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('the profile "strict"') }]);
  await expect(run(provider, strict, 'true')).rejects.toMatchObject(refused);
  await expect(run(provider, bed.options(agent, { profile: 'unheard-of' }), 'true')).rejects.toMatchObject(refused);
  await expect(run(provider, bed.options(agent, { options: { sandbox: 'none' } }), 'true')).rejects.toMatchObject(refused);
  await expect(run(provider, options, 'true', { image: 'alpine' })).rejects.toMatchObject(refused);
  await expect(run(provider, options, 'true', { timeout: 4_001 })).rejects.toMatchObject(refused);
  await expect(run(provider, options, 'true', { resources: { memory: 2 ** 31 } })).rejects.toMatchObject(refused);
  expect(await provider.check?.({ resources: { cpu: 1 }, image: 'alpine', options }, ask)).toHaveLength(3);
});

test('only so many jobs run at once; the next one is told to come later', async () => {
  const running = [await start(provider, options, 'sleep 30'), await start(provider, options, 'sleep 30')];
  await expect(start(provider, options, 'true')).rejects.toMatchObject({ code: 'provider/capacity', retry: 'later' });
  for (const job of running) await release(provider, job);
  await until('a slot is free again', () =>
    run(provider, options, 'true').then(
      () => true,
      () => false,
    ),
  );
});

test('nothing of the agent’s own environment, and no token, is in a job’s sight', async () => {
  // Only our own three processes: the job, its supervisor and the agent. Others on the machine are nobody's business.
  const script = `for who in self "$PPID" ${agent.pid}; do tr '\\0' '\\n' < /proc/$who/environ; tr '\\0' ' ' < /proc/$who/cmdline; echo "read $who"; done
env; cat ${bed.path('tokens')}`;
  const { out, exit } = await run(provider, options, script);
  expect(exit).toMatchObject({ kind: 'exited', code: 0 });
  // By what is in it, not by showing it.
  const holds = (text: string) => out.includes(text);
  expect([holds('ERRAND_JOB='), holds(`read ${agent.pid}`), holds('--token-file'), holds(hashed)]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect({ token: holds(bed.token), environment: holds(marker) }).toEqual({ token: false, environment: false });
});

test('the agent gives out its own secrets by name, only those on its list, and masks them', async () => {
  const env = { KEY: 'secret://agent/shown', PLAIN: 'secret://file/shown' };
  const { out } = await run(provider, options, 'echo "$KEY" "${#KEY}" "$PLAIN"', { env });
  expect(out).toBe('[redacted] 14 secret://file/shown\n');
  for (const name of ['hidden', 'missing', '../tokens', 'shown/../hidden', '']) {
    const asked = run(provider, options, 'true', { env: { KEY: `secret://agent/${name}` } });
    await expect(asked).rejects.toMatchObject({ code: 'secret/refused' });
  }
  const gone = run(provider, options, 'true', { env: { KEY: 'secret://agent/other/none' } });
  await expect(gone).rejects.toMatchObject({ code: 'secret/missing' });
});

test('two owners do not see each other’s places and jobs', async () => {
  const { host, runner } = facets(provider);
  const mine = await start(provider, options, 'sleep 30', { owner: 'mine' });
  const theirs = await start(provider, options, 'sleep 30', { owner: 'theirs' });
  const keys = async <T extends { readonly key: string }>(all: AsyncIterable<T>) => {
    const found: string[] = [];
    for await (const one of all) found.push(one.key);
    return found;
  };
  expect(await keys(host.inventory('mine', ask))).toEqual([mine.placeKey]);
  expect(await keys(runner.find('theirs', ask))).toEqual([theirs.key]);
  for (const job of [mine, theirs]) await release(provider, job);
});

test('a job without a time limit gets the agent’s', async () => {
  const job = await start(provider, options, 'sleep 60');
  const before = Date.now();
  expect((await finish(provider, job)).exit.kind).toBe('timed-out');
  expect(Date.now() - before).toBeLessThan(15_000);
  await release(provider, job);
});
