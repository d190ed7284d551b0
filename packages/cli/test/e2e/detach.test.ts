import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lines, makePlace } from './errand.ts';

test('--detach prints the id alone; wait gives the exit status and logs the output', async () => {
  await using place = await makePlace();
  const { out, err, status } = await place.errand('run', '--detach', '--script', 'echo one; sleep 0.5; echo two >&2; exit 7');
  expect({ err, status }).toEqual({ err: '', status: 0 });
  expect(out).toMatch(/^\S+\n$/);
  const id = out.trim();
  const followed = place.errand('logs', '--follow', id);
  const waited = await place.errand('wait', '--json', id);
  expect(waited.status).toBe(7);
  expect(JSON.parse(waited.out)).toMatchObject({ run: { id }, outcome: { kind: 'exited', code: 7 }, exitStatus: 7 });
  expect(await followed).toMatchObject({ status: 0, out: 'one\n', err: 'two\n' });
  const entries = lines<{ stream: string; text: string; cursor: string }>((await place.errand('logs', '--json', id)).out);
  expect(entries.map((entry) => [entry.stream, entry.text])).toEqual([
    ['stdout', 'one\n'],
    ['stderr', 'two\n'],
  ]);
  expect(await place.errand('logs', '--since', entries[0]?.cursor ?? '', id)).toMatchObject({ out: '', err: 'two\n' });
  expect((await place.errand('cancel', id)).out).toContain('had finished before: exited 7');
});

test('cancel ends a detached run and says so only then', async () => {
  await using place = await makePlace();
  const id = (await place.errand('run', '--detach', '--', 'sleep', '60')).out.trim();
  expect(await place.errand('cancel', id)).toMatchObject({ status: 0, out: `run ${id}: cancelled\n` });
  expect((await place.errand('wait', id)).status).toBe(130);
});

test('the program killed, the job goes on; wait takes over and gives its exit', async () => {
  await using place = await makePlace();
  const run = place.start('run', '--script', 'echo one; sleep 1; echo two; exit 9');
  await run.says('one');
  run.child.kill('SIGKILL');
  await run.ended;
  const [one] = lines<{ id: string }>((await place.errand('runs', '--json', '--open')).out);
  expect((await place.errand('wait', one?.id ?? '')).status).toBe(9);
  expect((await place.errand('logs', one?.id ?? '')).out).toBe('one\ntwo\n');
});

test('one key, two processes at once: one run, both exit with its status', async () => {
  await using place = await makePlace();
  const args = [
    'run',
    '--idempotency-key',
    'deploy',
    '--script',
    `echo ran >> ${join(place.directory, 'count')}; sleep 0.3; echo out; exit 5`,
  ];
  const both = await Promise.all([place.errand(...args), place.errand(...args)]);
  expect(both.map((one) => [one.status, one.out])).toEqual([
    [5, 'out\n'],
    [5, 'out\n'],
  ]);
  expect(await readFile(join(place.directory, 'count'), 'utf8')).toBe('ran\n');
  expect(lines((await place.errand('runs', '--json')).out)).toHaveLength(1);
  const detached = await place.errand('run', '--detach', ...args.slice(1));
  expect(detached.status).toBe(0);
  const other = await place.errand('run', '--json', '--idempotency-key', 'deploy', '--', 'true');
  expect(other.status).toBe(125);
  expect(JSON.parse(other.out)).toMatchObject({ error: { code: 'run/key-conflict' } });
});
