// What the profiles promise, seen from inside a job.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Command, Json, TreeEntry } from '@errand/contract';
import { dockerProvider } from '@errand/provider-docker';
import { ask, findBed } from '../bed.ts';

const bed = await findBed();

function needEngine(skip: (reason: string) => void): void {
  if (typeof bed !== 'string') return;
  if (process.env['CI']) throw new Error(bed);
  skip(bed);
}

async function run(command: Command | string, options: Json, change: { bare?: boolean; files?: readonly TreeEntry[] } = {}) {
  if (typeof bed === 'string') throw new Error(bed);
  const home = await mkdtemp(join(tmpdir(), 'errand-docker-'));
  await using provider = await dockerProvider.open({ home, signal: ask.signal });
  const { host, runner } = provider;
  if (!host || !runner) throw new Error('a facet is missing');
  const key = `profile-${randomUUID()}`;
  const call = { ...ask, key, epoch: 1, secret: async () => '' };
  const image = change.bare ? bed.bareImage : bed.image;
  const common = { owner: 'o', resources: {}, labels: {}, options, image };
  try {
    const place = await host.acquire({ ...common, expiresAt: Date.now() + 60_000 }, call);
    if (change.files) await host.realize(place, inOrder(change.files), call);
    const words = typeof command === 'string' ? { script: command } : command;
    const handle = await runner.start({ ...common, place, command: words, env: {}, secretEnv: {}, grace: 1_000 }, call);
    let text = '';
    for await (const chunk of runner.logs({ key, handle }, undefined, ask)) text += Buffer.from(chunk.bytes).toString();
    const collected = [];
    for await (const entry of host.collect(place, ['**'], ask)) collected.push(entry.path);
    return { text, collected, exit: await runner.wait({ key, handle }, ask) };
  } finally {
    await host.release({ key }, call);
    await rm(home, { recursive: true, force: true });
  }
}

async function* inOrder(entries: readonly TreeEntry[]): AsyncGenerator<TreeEntry> {
  yield* entries;
}

const strict = { profile: 'strict' };
const standard = { profile: 'standard', network: 'none' };
const status = "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | tr -d '\\t'";

test('strict: nothing to gain, nothing to write but the workspace and a small /tmp, no network', async ({ skip }) => {
  needEngine(skip);
  expect((await run(status, strict)).text).toBe('CapEff:0000000000000000\nNoNewPrivs:1\n');
  expect((await run('touch /x 2>/dev/null || echo refused; touch here && echo written', strict)).text).toBe('refused\nwritten\n');
  const script =
    'cp /bin/busybox /tmp/true && /tmp/true 2>/dev/null || echo no execution; df -k /tmp | tail -1 | grep -o " 65536 "';
  expect((await run(script, strict)).text).toBe('no execution\n 65536 \n');
  expect((await run("grep -v '|' /proc/net/dev | grep -vc ' lo:'; true", strict)).text).toBe('0\n');
});

test('strict: the limits of memory and processes hold', async ({ skip }) => {
  needEngine(skip);
  const forks = await run('i=0; while [ $i -lt 80 ]; do sleep 1 & i=$((i+1)); done; wait', strict);
  expect(forks.text).toContain('fork');
  const limit = 'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null';
  expect((await run(limit, strict)).text).toBe('268435456\n');
});

test('standard: no new privileges, and five capabilities less', async ({ skip }) => {
  needEngine(skip);
  const { text } = await run(status, standard);
  expect(text).toContain('NoNewPrivs:1');
  const effective = BigInt(`0x${/CapEff:([0-9a-f]+)/.exec(text)?.[1] ?? '0'}`);
  const has = (bit: bigint) => (effective >> bit) & 1n;
  // SETGID, SETUID, NET_ADMIN, SYS_PTRACE, SYS_ADMIN are gone; NET_BIND_SERVICE is there.
  expect([6n, 7n, 12n, 19n, 21n, 10n].map(has)).toEqual([0n, 0n, 0n, 0n, 0n, 1n]);
});

const note: TreeEntry = { kind: 'file', path: 'in', mode: 0o600, size: 1, content: x };

async function* x() {
  yield Buffer.from('x');
}

test('no shell is needed for a command, its files or what it leaves', async ({ skip }) => {
  needEngine(skip);
  const { exit, collected } = await run({ argv: ['/bin/true'] }, strict, { bare: true, files: [note] });
  expect(exit).toMatchObject({ kind: 'exited', code: 0 });
  expect(collected).toEqual(['in']);
});

test('a user who is not root owns the workspace, empty or filled, by number and by name', async ({ skip }) => {
  needEngine(skip);
  const script = 'id -u; id -g; test -e in && cat in; echo y > out && cat out';
  for (const user of ['1000:1001', 'worker']) {
    for (const profile of ['strict', 'permissive']) {
      const options = { profile, network: 'none', user };
      expect((await run(script, options)).text).toBe('1000\n1001\ny\n');
      expect((await run(script, options, { files: [note] })).text).toBe('1000\n1001\nxy\n');
    }
  }
  await expect(run('true', { ...standard, user: 'nobody-of-that-name' })).rejects.toMatchObject({ code: 'config/invalid' });
});

test('the workspace is where it was asked to be', async ({ skip }) => {
  needEngine(skip);
  expect((await run('pwd; cat in', { ...standard, workdir: '/srv/deep/work' }, { files: [note] })).text).toBe(
    '/srv/deep/work\nx',
  );
});

test('a file with two names is collected under both', async ({ skip }) => {
  needEngine(skip);
  expect((await run('mkdir d; echo x > d/a; ln d/a d/b', standard)).collected.toSorted()).toEqual(['d/a', 'd/b']);
});

test('a profile that names no network takes the engine’s own, also where that is none', async ({ skip }) => {
  needEngine(skip);
  expect((await run('echo hi', { profile: 'standard' })).text).toBe('hi\n');
});

test('check refuses a network that is not there', async ({ skip }) => {
  needEngine(skip);
  const home = await mkdtemp(join(tmpdir(), 'errand-docker-'));
  await using provider = await dockerProvider.open({ home, signal: ask.signal });
  expect(await provider.check?.({ resources: {}, options: strict }, ask)).toEqual([]);
  expect(await provider.check?.({ resources: {}, options: {} }, ask)).toEqual([]);
  const problems = await provider.check?.({ resources: { cpu: 1_000 }, options: { ...standard, network: 'errand-none' } }, ask);
  expect(problems?.map((one) => one.severity)).toEqual(['error', 'error']);
  await rm(home, { recursive: true });
});
