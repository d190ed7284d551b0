// What only a standing place's container does, seen from inside its jobs.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Command, Handle, JobSpec, PlaceSpec } from '@errand/contract';
import { dockerProvider } from '@errand/provider-docker';
import { ask, findBed } from '../bed.ts';

const bed = await findBed();
const secret = 'correct-horse-battery-staple';

function needEngine(skip: (reason: string) => void): void {
  if (typeof bed !== 'string') return;
  if (process.env['CI']) throw new Error(bed);
  skip(bed);
}

async function openPlace(change: Partial<PlaceSpec> & { readonly bare?: boolean } = {}) {
  if (typeof bed === 'string') throw new Error(bed);
  const { bare, ...rest } = change;
  const home = await mkdtemp(join(tmpdir(), 'errand-docker-'));
  const provider = await dockerProvider.open({ home, signal: ask.signal });
  const { host, runner } = provider;
  if (!host || !runner) throw new Error('a facet is missing');
  const key = `place-${randomUUID()}`;
  const call = { ...ask, key, epoch: 1, secret: async () => secret };
  const image = bare ? bed.bareImage : bed.image;
  const common = { owner: 'o', resources: {}, labels: {}, options: { profile: 'permissive', network: 'none' }, image, ...rest };
  const place: Handle<'place'> = await host.acquire({ expiresAt: Date.now() + 60_000, ...common, standing: true }, call);
  return {
    host,
    place,
    call,
    async run(command: Command | string, job: Partial<JobSpec> = {}) {
      const jobKey = `job-${randomUUID()}`;
      const { owner, resources, labels, options } = common;
      const words = typeof command === 'string' ? { script: command } : command;
      const base = { owner, resources, labels, options, image, place, command: words, env: {}, secretEnv: {}, grace: 300 };
      const handle = await runner.start({ ...base, ...job }, { ...call, key: jobKey });
      let text = '';
      for await (const chunk of runner.logs({ key: jobKey, handle }, undefined, ask)) text += Buffer.from(chunk.bytes).toString();
      return { text, exit: await runner.wait({ key: jobKey, handle }, ask) };
    },
    async [Symbol.asyncDispose]() {
      await host.release({ key }, call);
      await provider[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}

test('jobs share one container: what one leaves outside the workspace, the next one sees', async ({ skip }) => {
  needEngine(skip);
  await using place = await openPlace();
  await place.run('echo left > /root/trace');
  expect((await place.run('cat /root/trace')).text).toBe('left\n');
});

test('memory: the limit is the place’s, and who goes beyond it is out of memory', async ({ skip }) => {
  needEngine(skip);
  await using place = await openPlace({ resources: { memory: 64 * 1024 * 1024 } });
  expect((await place.run('head -c 1500000000 /dev/zero | tail')).exit).toMatchObject({ kind: 'errored', reason: 'oom' });
  expect((await place.run('exit 3')).exit).toMatchObject({ kind: 'exited', code: 3 });
});

test('a job ends at its deadline, though nobody else sees to it: ask, grace, force', async ({ skip }) => {
  needEngine(skip);
  await using place = await openPlace();
  const polite = await place.run("trap 'echo bye; exit 0' TERM; while :; do sleep 0.1; done", { timeout: 400, grace: 5_000 });
  expect(polite).toMatchObject({ text: expect.stringContaining('bye'), exit: { kind: 'timed-out' } });
  const stubborn = await place.run("trap '' TERM; while :; do sleep 0.1; done", { timeout: 400 });
  expect(stubborn.exit).toMatchObject({ kind: 'timed-out' });
  expect((await place.run('exit 2', { timeout: 60_000 })).exit).toMatchObject({ kind: 'exited', code: 2 });
});

test('the container ends by itself when the place expires, and not when that was renewed', async ({ skip }) => {
  needEngine(skip);
  await using kept = await openPlace({ expiresAt: Date.now() + 10_000 });
  await kept.host.renew(kept.place, Date.now() + 60_000, kept.call);
  await using doomed = await openPlace({ expiresAt: Date.now() + 10_000 });
  const [lost, done] = [doomed.run('sleep 50'), kept.run('sleep 12; exit 4')];
  expect((await lost).exit).toMatchObject({ kind: 'lost', evidence: expect.stringContaining('exited') });
  expect((await done).exit).toMatchObject({ kind: 'exited', code: 4 });
});

test('a secret is in the job’s environment and nowhere else', async ({ skip }) => {
  needEngine(skip);
  await using place = await openPlace();
  const first = await place.run('test "${#TOKEN}" = 28 && echo right', { secretEnv: { TOKEN: 'secret://x/y' } });
  expect(first.text).toBe('right\n');
  const look = `grep -rl '${secret.slice(0, 14)}[-]battery' /.errand /proc/1/environ /proc/1/cmdline 2>/dev/null; echo looked`;
  expect((await place.run(look)).text).toBe('looked\n');
  expect((await place.run('cat /proc/1/mem > /dev/null 2>&1 || echo closed', { env: {} })).text).toBe('closed\n');
});

test('strict and another user: records are the user’s, the shim is not', async ({ skip }) => {
  needEngine(skip);
  await using place = await openPlace({ options: { profile: 'strict', user: 'worker' } });
  const { text, exit } = await place.run(
    'id -u; echo y > out && cat out; touch /x 2>/dev/null || echo refused; echo z 2>/dev/null > /.errand/shim || echo kept',
  );
  expect([text, exit.kind]).toEqual(['1000\ny\nrefused\nkept\n', 'exited']);
});

test('no shell is needed', async ({ skip }) => {
  needEngine(skip);
  await using place = await openPlace({ bare: true, options: { profile: 'strict' } });
  expect((await place.run({ argv: ['/bin/true'] })).exit).toMatchObject({ kind: 'exited', code: 0 });
  expect(await place.run({ argv: ['/bin/nothing'] })).toMatchObject({ exit: { kind: 'exited', code: 127 } });
});
