// Ctrl-C, SIGKILL and a second Errand while a call is in flight: a process that does not listen takes its grace to delete.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alive, lines, makePlace } from './errand.ts';
import type { Place } from './errand.ts';

const declare = (place: Place, grace: number) =>
  writeFile(
    join(place.directory, 'errand.yaml'),
    `infra:
  providers: { here: { use: local } }
  resources:
    base: { type: local.file, provider: here, config: { path: base.txt, content: x } }
    slow:
      type: local.process
      provider: here
      depends_on: [base]
      config: { command: 'trap "" TERM; while :; do sleep 0.1; done', grace: ${grace} }
`,
  );

interface Standing extends AsyncDisposable {
  readonly place: Place;
  readonly pid: number;
}

async function standing(grace: number): Promise<Standing> {
  const place = await makePlace();
  await declare(place, grace);
  const applied = await place.errand('infra', 'apply', '--yes');
  expect([applied.status, applied.err]).toEqual([0, '']);
  const [record] = lines<{ outputs: { pid: number } }>((await place.errand('infra', 'state', 'show', 'slow', '--json')).out);
  const pid = record?.outputs.pid ?? 0;
  expect(alive(pid)).toBe(true);
  return {
    place,
    pid,
    async [Symbol.asyncDispose]() {
      if (alive(pid)) process.kill(pid, 'SIGKILL');
      await place[Symbol.asyncDispose]();
    },
  };
}

const there = (place: Place) =>
  stat(join(place.directory, 'base.txt')).then(
    () => true,
    () => false,
  );

test('the first Ctrl-C finishes what is in flight; meanwhile others are told who holds the lock', async () => {
  await using stage = await standing(5);
  const { place, pid } = stage;
  const destroy = place.start('infra', 'destroy', '--yes');
  await destroy.says('slow: deleting…');
  destroy.child.kill('SIGINT');
  const [other, shown] = await Promise.all([place.errand('infra', 'apply', '--yes', '--json'), place.errand('infra', 'unlock')]);
  expect([other.status, lines(other.out).at(-1)]).toMatchObject([125, { error: { code: 'infra/locked' } }]);
  expect([shown.status, shown.out]).toEqual([125, expect.stringContaining(`process ${destroy.child.pid} on `)]);

  const { status, out, err } = await destroy.ended;
  expect(status).toBe(130);
  expect(err).toContain('finishing what is in flight and starting nothing new; once more to abort the calls');
  expect(out).toContain('slow: deleted in ');
  expect(err).toContain('interrupted: what was done is recorded\n  next: errand infra destroy goes on with what is left.');
  expect([alive(pid), await there(place)]).toEqual([false, true]);
  expect((await place.errand('infra', 'destroy', '--yes')).status).toBe(0);
  expect(await there(place)).toBe(false);
});

test('the second Ctrl-C aborts the calls, and the next command goes on', async () => {
  await using stage = await standing(600);
  const { place, pid } = stage;
  const destroy = place.start('infra', 'destroy', '--yes');
  await destroy.says('slow: deleting…');
  destroy.child.kill('SIGINT');
  destroy.child.kill('SIGTERM');
  const { status, err } = await destroy.ended;
  expect(status).toBe(130);
  expect(err).toContain('aborting the calls; the journal keeps what they were about');
  expect([alive(pid), await there(place)]).toEqual([true, true]);

  await declare(place, 0);
  expect((await place.errand('infra', 'apply', '--yes')).status).toBe(0);
  expect((await place.errand('infra', 'destroy', '--yes')).status).toBe(0);
  expect([alive(pid), await there(place)]).toEqual([false, false]);
});

test('killed in the middle, the lock is nobody’s and the rest is done by the next command', async () => {
  await using stage = await standing(2);
  const { place, pid } = stage;
  const destroy = place.start('infra', 'destroy', '--yes');
  await destroy.says('slow: deleting…');
  destroy.child.kill('SIGKILL');
  await destroy.ended;
  const again = await place.errand('infra', 'destroy', '--yes');
  expect([again.status, again.err]).toEqual([0, expect.stringContaining('slow: ')]);
  expect([alive(pid), await there(place)]).toEqual([false, false]);
  expect((await place.errand('infra', 'state', 'list', '--json')).out).toBe('');
});
