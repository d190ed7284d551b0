// SandboxExecService as existing clients use it: a plain gRPC client of the public protocol against our agent.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import { methodDefinition, SandboxExecService } from '@errand/plugin';
import type { SandboxExecChunk } from '@errand/plugin';
import { makeBed } from '../bed.ts';
import type { Running } from '../bed.ts';
import { until } from '../jobs.ts';

const bed = makeBed();
mkdirSync(bed.path('secrets'), { mode: 0o700 });
writeFileSync(bed.path('secrets/key'), 'value-of-key\n', { mode: 0o600 });
const config = bed.write(
  'agent.yaml',
  'policy: { profiles: [permissive], concurrency: 8 }\nsecrets: { directory: secrets, allow: [key] }\n',
);
const exec = methodDefinition(SandboxExecService.method.exec);

let agent: Running;
let client: Client;

beforeAll(async () => {
  agent = await bed.start({ args: ['--config', config] });
  client = new Client(agent.address, credentials.createSsl(readFileSync(bed.path('ca.pem'))), {
    'grpc.ssl_target_name_override': 'localhost',
  });
});
afterAll(async () => {
  client.close();
  await agent[Symbol.asyncDispose]();
  bed[Symbol.dispose]();
});

interface Request {
  readonly command: string[];
  readonly profile?: string;
  readonly image?: string;
  readonly env?: Record<string, string>;
  readonly workdir?: string;
}

function begin(request: Request, token = bed.token): ClientReadableStream<SandboxExecChunk> {
  const metadata = new Metadata();
  if (token !== '') metadata.set('authorization', `Bearer ${token}`);
  return client.makeServerStreamRequest(exec.path, exec.requestSerialize, exec.responseDeserialize, request, metadata);
}

async function call(request: Request, token?: string) {
  const told = { out: '', err: '', chunks: 0, code: undefined as number | undefined };
  for await (const { chunk } of begin(request, token) as AsyncIterable<SandboxExecChunk>) {
    expect(told.code).toBeUndefined();
    told.chunks += 1;
    if (chunk.case === 'stdout') told.out += Buffer.from(chunk.value).toString();
    if (chunk.case === 'stderr') told.err += Buffer.from(chunk.value).toString();
    if (chunk.case === 'exitCode') told.code = chunk.value;
  }
  return told;
}

const sh = (script: string) => ['/bin/sh', '-c', script];
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => status.OK,
    (error: ServiceError) => error.code,
  );
const standing = () => readdirSync(bed.path('home/agent/local/places')).filter((name) => !name.startsWith('.'));

test('a command runs with its variables; output and exit code come back', async () => {
  const told = await call({ command: sh('echo "$A"; echo problem >&2; exit 7'), env: { A: 'two  words' } });
  expect(told).toMatchObject({ out: 'two  words\n', err: 'problem\n', code: 7 });
  expect((await call({ command: ['printf', '%s|', 'a b', '', '$HOME'] })).out).toBe('a b||$HOME|');
  expect((await call({ command: sh('kill -9 $$') })).code).toBe(137);
  expect((await call({ command: ['/no/such/program'] })).code).toBe(127);
  expect(standing()).toEqual([]);
});

test('output comes while the command runs, and any amount of it', async () => {
  const seen: number[] = [];
  for await (const { chunk } of begin({ command: sh('echo a; sleep 0.7; echo b') }) as AsyncIterable<SandboxExecChunk>) {
    if (chunk.case === 'stdout') seen.push(Date.now());
  }
  expect((seen.at(-1) ?? 0) - (seen[0] ?? 0)).toBeGreaterThan(400);
  const big = await call({ command: sh('head -c 9000000 /dev/zero | tr "\\0" x') });
  expect(big.out.length).toBe(9_000_000);
});

test('a cancelled call ends its command and leaves nothing', async () => {
  const file = bed.path('still-alive');
  const stream = begin({ command: sh(`trap '' TERM; while :; do echo x > ${file}; sleep 0.1; done`) });
  stream.on('error', () => undefined);
  stream.on('data', () => undefined);
  await until('it runs', () => existsSync(file));
  stream.cancel();
  await until('its place is gone', () => standing().length === 0);
  rmSync(file);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(existsSync(file)).toBe(false);
});

test('what may not be is refused before anything runs', async () => {
  const command = sh(`touch ${bed.path('ran')}`);
  expect(await codeOf(call({ command }, ''))).toBe(status.UNAUTHENTICATED);
  expect(await codeOf(call({ command }, 'wrong-token-0123456789'))).toBe(status.UNAUTHENTICATED);
  expect(await codeOf(call({ command: [] }))).toBe(status.INVALID_ARGUMENT);
  for (const change of [{ profile: 'strict' }, { profile: 'made-up' }, { image: 'alpine' }, { workdir: '/etc' }]) {
    expect(await codeOf(call({ command, ...change })), JSON.stringify(change)).toBe(status.PERMISSION_DENIED);
  }
  expect(await codeOf(call({ command, env: { A: 'secret://env/PATH' } }))).toBe(status.PERMISSION_DENIED);
  expect(existsSync(bed.path('ran'))).toBe(false);
  expect(standing()).toEqual([]);
});

test('a reference is resolved here, if it is on the list, and masked in the output', async () => {
  const env = { A: 'secret://key', B: 'secret://agent/key' };
  expect(await call({ command: sh('echo "$A$B" ${#A}'), env })).toMatchObject({ out: '[redacted][redacted] 12\n', code: 0 });
});
