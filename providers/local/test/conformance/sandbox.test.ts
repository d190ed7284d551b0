// The same promises inside bubblewrap, and what the sandbox adds.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { localProvider } from '@errand/provider-local';
import type { Provider } from '@errand/contract';

const ask = { signal: new AbortController().signal, log: () => undefined };
const options = { sandbox: 'strict' };

/** bubblewrap stands between the job and its supervisor and tells signal n as exit 128+n. */
async function open(data: string): Promise<Provider> {
  const provider = await localProvider.open({ home: join(data, 'local'), dataDirectory: data, signal: ask.signal });
  return { ...provider, capabilities: { ...provider.capabilities, exactSignal: false } };
}

const probe = await mkdtemp(join(tmpdir(), 'errand-sandbox-'));
const provider = await open(probe);
const problems = (await provider.check?.({ resources: {}, options }, ask)) ?? [];
await provider[Symbol.asyncDispose]();
await rm(probe, { recursive: true });

const missing = problems[0]?.message;

runnerConformance('local, sandbox: strict', { open, options, missing });
hostConformance('local, sandbox: strict', { open, options, missing });

function needSandbox(skip: (reason: string) => void): void {
  if (missing === undefined) return;
  if (process.env['CI']) throw new Error(missing);
  skip(missing);
}

async function run(script: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'errand-sandbox-'));
  await using opened = await open(home);
  const { host, runner } = opened;
  if (!host || !runner) throw new Error('a facet is missing');
  const call = { ...ask, key: 'k', epoch: 1, secret: async () => '' };
  const common = { owner: 'o', resources: {}, labels: {}, options };
  const place = await host.acquire({ ...common, expiresAt: Date.now() + 60_000 }, call);
  const spec = { ...common, place, command: { script }, env: { ERRAND_TEST_HOME: home }, secretEnv: {}, grace: 1_000 };
  const handle = await runner.start(spec, call);
  let text = '';
  for await (const chunk of runner.logs({ key: 'k', handle }, undefined, ask)) text += Buffer.from(chunk.bytes).toString();
  await host.release({ key: 'k', handle: place }, call);
  await rm(home, { recursive: true });
  return text;
}

test('the root is read-only, the workspace is not', async ({ skip }) => {
  needSandbox(skip);
  const marker = `/usr/errand-escape-${process.pid}`;
  expect(await run(`touch ${marker} 2>/dev/null || echo refused; touch here && echo written`)).toBe('refused\nwritten\n');
  expect(existsSync(marker)).toBe(false);
});

test('/tmp is private', async ({ skip }) => {
  needSandbox(skip);
  const name = `errand-private-${process.pid}`;
  expect(await run(`echo x > /tmp/${name} && ls /tmp | grep -c ${name}`)).toBe('1\n');
  expect(existsSync(join('/tmp', name))).toBe(false);
});

test('there is no network but a loopback that is down', async ({ skip }) => {
  needSandbox(skip);
  expect(await run("cat /proc/net/dev | grep -v '|' | grep -vc ' lo:' || true")).toBe('0\n');
});

test('other processes and Errand’s own files are out of sight', async ({ skip }) => {
  needSandbox(skip);
  const script =
    'cd "$ERRAND_TEST_HOME"; ls . local local/places/k; ls -d /proc/[0-9]* | wc -l | grep -qE "^ *[0-9]$" && echo few';
  expect(await run(script)).toBe('.:\nlocal\n\nlocal:\nplaces\n\nlocal/places/k:\nwork\nfew\n');
});

test('no privileges are left to gain', async ({ skip }) => {
  needSandbox(skip);
  expect(await run("grep -E '^(NoNewPrivs|CapEff)' /proc/self/status")).toMatch(/CapEff:\s+0+\nNoNewPrivs:\s+1\n/);
});
