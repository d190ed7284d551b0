// `errand run --on AGENT` is `errand run --on local` with one word changed.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lines, makePlace } from './errand.ts';
import type { Place, Started } from './errand.ts';

let place: Place;
let agent: Started;

beforeAll(async () => {
  place = await makePlace();
  const socket = join(place.directory, 'agent.sock');
  await writeFile(join(place.directory, 'errand.yaml'), `environments:\n  far: { provider: agent, address: "unix:${socket}" }\n`);
  agent = place.start('agent', '--json', '--home', join(place.directory, 'far-home'), '--listen', `unix:${socket}`);
  await agent.says('listening');
});
afterAll(async () => {
  agent.child.kill('SIGTERM');
  await agent.ended;
  await place[Symbol.asyncDispose]();
});

test('output, exit status, files both ways', async () => {
  await mkdir(join(place.directory, 'work'));
  await writeFile(join(place.directory, 'work/in.txt'), 'hello\n');
  const files = ['--workspace', 'work', '--collect', '*.out', '--out', 'back'];
  const ran = await place.errand('run', '--on', 'far', ...files, '--', 'sh', '-c', 'tee x.out < in.txt; echo no >&2; exit 3');
  expect(ran).toMatchObject({ status: 3, out: 'hello\n', err: 'no\n' });
  expect(await readFile(join(place.directory, 'back/x.out'), 'utf8')).toBe('hello\n');
  expect((await place.errand('run', '--on', 'far', '--', '/no/such')).status).toBe(127);
  expect((await place.errand('run', '--on', 'far', '--timeout', '300ms', '--', 'sleep', '30')).status).toBe(124);
  expect((await place.errand('env', 'check', 'far')).out).toContain('ready');
});

test('what the agent cannot do is refused before the start', async () => {
  const { status, err } = await place.errand('run', '--on', 'far', '--image', 'alpine', '--', 'true');
  expect({ status, err }).toMatchObject({ status: 125, err: expect.stringContaining('does not run images') });
});

test('Errand is killed in the middle: the next one finds the job with every byte, and nothing is left', async () => {
  const run = place.start('run', '--on', 'far', '--', 'sh', '-c', 'echo one; sleep 2; echo two; exit 9');
  await run.says('one');
  run.child.kill('SIGKILL');
  await run.ended;
  const [row] = lines<{ id: string }>((await place.errand('runs', '--open', '--json')).out);
  expect((await place.errand('wait', row?.id ?? '')).status).toBe(9);
  expect((await place.errand('logs', row?.id ?? '')).out).toBe('one\ntwo\n');
  expect((await place.errand('leases', '--json')).out).toBe('');
});

test('an agent that is told to leave says so', async () => {
  const args = ['--home', join(place.directory, 'other-home'), '--listen', `unix:${join(place.directory, 'other.sock')}`];
  const other = place.start('agent', '--json', ...args);
  await other.says('listening');
  other.child.kill('SIGTERM');
  expect(await other.ended).toMatchObject({ status: 0, err: expect.stringContaining('leaving; jobs go on') });
});

test('without an answer there is a reason, and a place that others could reach is not opened', async () => {
  await writeFile(
    join(place.directory, 'away.yaml'),
    'environments: { far: { provider: agent, address: "unix:/nowhere.sock" } }\n',
  );
  const away = await place.errand('run', '--json', '--config', 'away.yaml', '--on', 'far', '--', 'true');
  expect(JSON.parse(away.out)).toMatchObject({ error: { code: 'provider/unreachable', reason: 'network' } });
  const open = await place.errand('agent', '--listen', '0.0.0.0:0', '--no-token');
  expect(open).toMatchObject({
    status: 125,
    err: expect.stringMatching(/refused to listen on 0\.0\.0\.0:0 without TLS and without a token/),
  });
});
