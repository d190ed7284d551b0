import { existsSync } from 'node:fs';
import { link, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, call, jobKey, openBed, pause, placeKey, placeSpec, specFor, stdoutOf } from './bed.ts';
import type { Bed } from './bed.ts';

async function started(bed: Bed, script: string) {
  const { host, runner } = await bed.open();
  const place = await host.acquire(placeSpec(), call(placeKey));
  const handle = await runner.start(specFor(place, script), call(jobKey));
  return { host, runner, place, ref: { key: jobKey, handle } };
}

test('without its supervisor a job ends at its next output; its end is lost with evidence, what it wrote is kept, and it is not run again', async () => {
  await using bed = await openBed();
  const { runner, place, ref } = await started(
    bed,
    'echo x >> effects; echo before; sleep 1; echo after; echo y >> effects; exit 3',
  );
  while ((await runner.logs(ref, undefined, ask)[Symbol.asyncIterator]().next()).done) await pause(20);
  process.kill(await bed.pid('claimed'), 'SIGKILL');
  const early = await Promise.race([runner.wait(ref, ask), pause(400).then(() => 'still going')]);
  expect(early).toBe('still going');
  const { runner: fresh } = await bed.open();
  const [exit, seen, output] = await Promise.all([
    runner.wait(ref, ask),
    fresh.wait({ key: jobKey }, ask),
    stdoutOf(fresh.logs(ref, undefined, ask)),
  ]);
  expect(exit).toEqual(seen);
  expect(exit).toMatchObject({ kind: 'lost', evidence: expect.stringContaining('supervisor') });
  expect(output).toBe('before\n');
  const again = await fresh.start(specFor(place, 'echo x >> effects'), call(jobKey));
  expect(await fresh.wait({ key: jobKey, handle: again }, ask)).toEqual(exit);
  expect(await bed.readWork('effects')).toBe('x\n');
});

test('a job whose supervisor died can still be stopped, and released', async () => {
  await using bed = await openBed();
  const { host, runner, ref } = await started(bed, "trap '' TERM; (setsid sleep 60 &); while :; do sleep 0.1; done");
  process.kill(await bed.pid('claimed'), 'SIGKILL');
  await runner.stop(ref, 'force', call(jobKey));
  expect(await runner.wait(ref, ask)).toMatchObject({ kind: 'lost' });
  await host.release({ key: placeKey }, call(placeKey));
  expect(await readdir(join(bed.home, 'places'))).toEqual([]);
});

test('a supervisor that died between claim and start: the job is lost, never started late', async () => {
  await using bed = await openBed();
  const { host, runner } = await bed.open();
  const place = await host.acquire(placeSpec(), call(placeKey));
  // What such a death leaves behind.
  const base = join(bed.home, 'places', placeKey, `j.${jobKey}`);
  const dead = { pid: 999_999_999, started: 'never' };
  const asked = { key: jobKey, owner: 'test', mark: 'no-such-mark', sandboxed: false, supervisor: dead };
  await writeFile(`${base}.job`, `${JSON.stringify({ asked })}\n${JSON.stringify({ claimed: dead })}\n`);
  await link(`${base}.job`, `${base}.claim`);
  const handle = await runner.start(specFor(place, 'echo x >> effects'), call(jobKey));
  expect(await runner.wait({ key: jobKey, handle }, ask)).toMatchObject({ kind: 'lost' });
  expect(await bed.readWork('effects')).toBe('');
});

test('the next job of the same opening gets a new supervisor', async () => {
  await using bed = await openBed();
  const { runner, place } = await started(bed, 'true');
  process.kill(await bed.pid('claimed'), 'SIGKILL');
  await pause(100);
  const handle = await runner.start(specFor(place, 'exit 5'), call('job-2'));
  expect(await runner.wait({ key: 'job-2', handle }, ask)).toMatchObject({ kind: 'exited', code: 5 });
});

test('a release that died half-way is finished by the next inventory', async () => {
  await using bed = await openBed();
  const { host } = await started(bed, 'mkdir -p deep/er; echo x > deep/er/file');
  const places = join(bed.home, 'places');
  await rename(join(places, placeKey), join(places, `.gone-${placeKey}.abc`));
  for await (const seen of host.inventory('test', ask)) expect(seen.key).toBe('nothing should be here');
  expect(existsSync(join(places, `.gone-${placeKey}.abc`))).toBe(false);
});
