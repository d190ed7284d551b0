import { expect, test } from 'vitest';
import { ask, call, jobKey, kill, openBed, pause, placeKey, placeSpec, says, specFor, stdoutOf } from './bed.ts';

const counting = 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep 0.05; done; exit 42';
const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`).join('');

test('SIGKILL of the process that started the job leaves it running; a fresh one gets exit and output whole', async () => {
  await using bed = await openBed();
  const opener = bed.opener(counting);
  await says(opener, 'started');
  await pause(200);
  await kill(opener);
  const { runner } = await bed.open();
  const output = stdoutOf(runner.logs({ key: jobKey }, undefined, ask));
  expect(await runner.wait({ key: jobKey }, ask)).toMatchObject({ kind: 'exited', code: 42 });
  expect(await output).toBe(lines);
});

test('a job that ended while nobody watched has left exit and output behind, and its supervisor is gone', async () => {
  await using bed = await openBed();
  const opener = bed.opener(`sleep 0.5; ${counting}`);
  await says(opener, 'started');
  const supervisor = await bed.pid('claimed');
  await kill(opener);
  await expect.poll(() => isGone(supervisor), { timeout: 20_000 }).toBe(true);
  const { runner } = await bed.open();
  expect(await runner.wait({ key: jobKey }, ask)).toMatchObject({ kind: 'exited', code: 42 });
  expect(await stdoutOf(runner.logs({ key: jobKey }, undefined, ask))).toBe(lines);
});

test('killed at any moment of acquire and start, a repetition with the same key has one effect', async () => {
  for (const [word, delay] of [
    ['opened', 0],
    ['opened', 2],
    ['acquired', 0],
    ['acquired', 1],
    ['acquired', 5],
    ['acquired', 30],
    ['acquired', 100],
    ['started', 0],
  ] as const) {
    await using bed = await openBed();
    const script = 'echo x >> effects; sleep 0.3; exit 7';
    const opener = bed.opener(script);
    await says(opener, word);
    await pause(delay);
    await kill(opener);
    const { host, runner } = await bed.open();
    const place = await host.acquire(placeSpec(), call(placeKey, 2));
    const handle = await runner.start(specFor(place, script), call(jobKey, 2));
    const exit = await runner.wait({ key: jobKey, handle }, ask);
    expect([word, delay, exit]).toMatchObject([word, delay, { kind: 'exited', code: 7 }]);
    expect(await bed.readWork('effects')).toBe('x\n');
  }
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
