// A line that is cut, delayed and frozen, and a server that goes away: output neither lost nor doubled, one effect per
// key, and the exit is the job's.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ask, needSshd, openLine, openWorld, texts } from './bed.ts';

const counting = (until: number) =>
  `i=0; while [ $i -lt ${until} ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); [ $((i % 10)) = 0 ] && sleep 0.1; done; exit 6`;
const counted = (word: string, until: number) =>
  `${Array.from({ length: until }, (_, index) => `${word} ${index}`).join('\n')}\n`;

test('cuts while a job runs', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  await using line = await openLine(world.sshd);
  const options = { ...world.sshd.options, port: line.port };
  const place = await world.acquire(options);
  const { runner } = await world.open();
  const handle = await runner.start(world.spec(place, counting(300)), world.call('job-cut'));
  const following = texts(runner.logs({ key: 'job-cut', handle }, undefined, ask));
  const waiting = runner.wait({ key: 'job-cut', handle }, ask);
  let over = false;
  void waiting.then(() => (over = true));
  for (let round = 0; !over; round++) {
    await sleep(round % 3 === 2 ? 1_500 : 300);
    line.refuse(round % 5 === 4);
    line.cut();
  }
  line.refuse(false);
  expect(await waiting).toMatchObject({ kind: 'exited', code: 6 });
  expect(await following).toEqual({ stdout: counted('out', 300), stderr: counted('err', 300) });
  expect(line.connections()).toBeGreaterThan(2);
});

test('an answer to start that is lost: the job runs once', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  await using line = await openLine(world.sshd);
  const options = { ...world.sshd.options, port: line.port };
  const place = await world.acquire(options);
  const { runner } = await world.open();
  const spec = world.spec(place, 'echo x >> effects; sleep 0.2; cat effects; exit 3');
  const failures: unknown[] = [];
  // Later and later in the exchange, until one gets through.
  for (let bytes = 50; ; bytes += 350) {
    line.cutAfter(bytes);
    try {
      const handle = await runner.start(spec, world.call('job-once'));
      line.cutAfter(Number.POSITIVE_INFINITY);
      expect(await runner.wait({ key: 'job-once', handle }, ask)).toMatchObject({ kind: 'exited', code: 3 });
      expect((await texts(runner.logs({ key: 'job-once', handle }, undefined, ask))).stdout).toBe('x\n');
      break;
    } catch (error) {
      failures.push(error);
    }
  }
  expect(failures.length).toBeGreaterThan(3);
  for (const failure of failures) expect(failure).toMatchObject({ code: 'provider/unreachable', retry: 'later' });
});

test('a slow line changes nothing', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  await using line = await openLine(world.sshd, { seed: 1, cuts: 0, delay: 80 });
  const place = await world.acquire({ ...world.sshd.options, port: line.port });
  const { runner } = await world.open();
  const handle = await runner.start(world.spec(place, counting(20)), world.call('job-slow'));
  const both = Promise.all([
    texts(runner.logs({ key: 'job-slow', handle }, undefined, ask)),
    runner.wait({ key: 'job-slow', handle }, ask),
  ]);
  expect(await both).toMatchObject([
    { stdout: counted('out', 20), stderr: counted('err', 20) },
    { kind: 'exited', code: 6 },
  ]);
});

test('a line that goes silent is noticed and replaced', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  await using line = await openLine(world.sshd);
  const place = await world.acquire({ ...world.sshd.options, port: line.port, keepalive: 1 });
  const { runner } = await world.open();
  const handle = await runner.start(world.spec(place, 'echo first; sleep 3; echo last; exit 4'), world.call('job-silent'));
  const following = texts(runner.logs({ key: 'job-silent', handle }, undefined, ask));
  const waiting = runner.wait({ key: 'job-silent', handle }, ask);
  await sleep(1_000);
  line.freeze(true);
  await sleep(5_000);
  // The old connections stay dead: what was lost on them never comes.
  line.cut();
  line.freeze(false);
  expect(await waiting).toMatchObject({ kind: 'exited', code: 4 });
  expect((await following).stdout).toBe('first\nlast\n');
});

test('sshd dies in mid-run: the job goes on, and is found when sshd is back', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const { runner } = await world.open();
  const handle = await runner.start(world.spec(place, counting(100)), world.call('job-server'));
  const following = texts(runner.logs({ key: 'job-server', handle }, undefined, ask));
  const waiting = runner.wait({ key: 'job-server', handle }, ask);
  await sleep(400);
  await world.sshd.stop();
  await sleep(2_000);
  await world.sshd.start();
  expect(await waiting).toMatchObject({ kind: 'exited', code: 6 });
  expect(await following).toEqual({ stdout: counted('out', 100), stderr: counted('err', 100) });
});

test('more jobs than a server has channels are all watched to their end, and one can be stopped meanwhile', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld(['MaxSessions 5']);
  const place = await world.acquire({ ...world.sshd.options, connections: 2 });
  const { runner } = await world.open();
  const jobs = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const key = `job-many-${index}`;
      const script = index === 0 ? 'sleep 60' : `echo hello ${index}; sleep 2; exit ${index}`;
      const ref = { key, handle: await runner.start(world.spec(place, script), world.call(key)) };
      return { ref, exit: runner.wait(ref, ask), output: texts(runner.logs(ref, undefined, ask)) };
    }),
  );
  const [first, ...rest] = jobs;
  if (first) await runner.stop(first.ref, 'force', world.call(first.ref.key));
  for (const [index, job] of rest.entries()) {
    expect(await job.exit).toMatchObject({ kind: 'exited', code: index + 1 });
    expect((await job.output).stdout).toBe(`hello ${index + 1}\n`);
  }
  expect(await first?.exit).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
});
