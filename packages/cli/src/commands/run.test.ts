import { describe, expect, test } from 'vitest';
import { collectingSink, entry, fakeJob, fakeRun, play } from '../../test/fakes.ts';
import type { FakeJob } from '../../test/fakes.ts';
import { ErrandError } from '@errand/contract';
import type { RunRequest } from '@errand/core';

const on = (job: FakeJob, seen: RunRequest[] = []) => ({
  runtime: {
    run: async (request: RunRequest) => {
      seen.push(request);
      return job;
    },
  },
});

const hello = () => fakeJob([entry('stdout', 'hello\n')], { kind: 'exited', code: 3 });
const submit = (created: boolean, change = {}) => ({
  runtime: { submit: async () => ({ run: fakeRun({ status: 'queued', outcome: undefined, ...change }), created }) },
});

test('the whole request', async () => {
  const seen: RunRequest[] = [];
  const line =
    `run --on ci --workspace w --collect a --collect b --out o --env A=1=2 --secret T=secret://env/X --timeout 1m --pending-timeout 2m
    --grace 3s --image i --idempotency-key k --label l=v`.split(/\s+/);
  await play([...line, '--', 'echo', '--json'], on(fakeJob([], { kind: 'exited', code: 0 }), seen));
  expect(seen).toEqual([
    {
      environment: 'ci',
      workspace: '/work/w',
      collect: ['a', 'b'],
      out: '/work/o',
      env: { A: '1=2' },
      secrets: { T: 'secret://env/X' },
      timeout: '1m',
      pendingTimeout: '2m',
      grace: '3s',
      image: 'i',
      idempotencyKey: 'k',
      labels: { l: 'v' },
      command: ['echo', '--json'],
    },
  ]);
});

test('output goes out byte by byte, each stream to its own, and the status is the command’s', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const out = collectingSink();
  const job = fakeJob([entry('stdout', bytes), entry('stderr', 'oops\n')], { kind: 'exited', code: 3 });
  const played = await play(['run', '--', 'x'], { ...on(job), out });
  expect(played).toMatchObject({ status: 3, err: 'oops\n' });
  expect(out.bytes()).toEqual(Buffer.from(bytes));
});

test('--json: one document on stdout, the output on stderr, with --quiet nowhere', async () => {
  const loud = await play(['run', '--json', '--', 'x'], on(hello()));
  expect(JSON.parse(loud.out)).toMatchObject({
    run: { id: '01RUN', status: 'closed' },
    outcome: { kind: 'exited', code: 3 },
    exitStatus: 3,
  });
  expect(loud.err).toBe('hello\n');
  expect((await play(['run', '--json', '--quiet', '--', 'x'], on(hello()))).err).toBe('');
});

describe('what is said about an end', () => {
  test('errored: the reason and the next step, exit 125, also with --quiet', async () => {
    const job = fakeJob([], {
      kind: 'errored',
      reason: 'image',
      code: 'provider/image',
      message: 'no such image',
      next: 'Push it.',
    });
    const played = await play(['run', '-q', '--', 'x'], on(job));
    expect(played).toMatchObject({
      status: 125,
      err: 'errand: could not run the command (image): no such image\n  next: Push it.\n',
    });
  });

  test('lost: the evidence, exit 125', async () => {
    const played = await play(['run', '--', 'x'], on(fakeJob([], { kind: 'lost', evidence: 'the machine restarted' })));
    expect(played.status).toBe(125);
    expect(played.err).toContain('nobody knows how it ended: the machine restarted');
  });

  test('a failed collect: a warning, and 125 when the command itself was fine', async () => {
    const problem = { problem: 'could not collect x' };
    expect(await play(['run', '--', 'x'], on(fakeJob([], { kind: 'exited', code: 0 }, problem)))).toMatchObject({ status: 125 });
    const failed = await play(['run', '--', 'x'], on(fakeJob([], { kind: 'exited', code: 3 }, problem)));
    expect(failed).toMatchObject({ status: 3, err: 'errand: could not collect x\n' });
  });

  test('a request that is refused: 125, on stderr, and as data with --json', async () => {
    const runtime = {
      run: () => Promise.reject(new ErrandError('environment/unknown', "there is no environment 'x'", { next: 'Use local.' })),
    };
    const played = await play(['run', '--json', '--on', 'x', '--', 'y'], { runtime });
    expect(played).toMatchObject({ status: 125, err: "errand: there is no environment 'x'\n  next: Use local.\n" });
    expect(JSON.parse(played.out)).toMatchObject({ error: { code: 'environment/unknown', next: 'Use local.' } });
  });

  test('when Errand cannot go on watching, the run id is given', async () => {
    const job = { ...fakeJob([]), closed: Promise.reject(new ErrandError('disk/full', 'no space left', { next: 'Free some.' })) };
    job.closed.catch(() => {});
    const played = await play(['run', '--', 'x'], on(job));
    expect(played.status).toBe(125);
    expect(played.err).toContain('stopped watching run 01RUN: no space left');
    expect(played.err).toContain('errand wait 01RUN');
  });
});

describe('Ctrl-C', () => {
  test('first asks, second forces, third leaves without proof', async () => {
    const job = fakeJob([]);
    const stage = { ...on(job), interrupt: (press: () => void) => [5, 10, 15].forEach((ms) => setTimeout(press, ms)) };
    const played = await play(['run', '--', 'x'], stage);
    expect(job.asked).toEqual(['ask', 'force']);
    expect(played.status).toBe(130);
    expect(played.err).toContain('left run 01RUN before its end was confirmed');
  });

  test('pressed before the run was recorded, it counts all the same', async () => {
    const job = fakeJob([]);
    job.cancel = async () => {
      job.asked.push('ask');
      job.end({ kind: 'cancelled' });
      return job.closed;
    };
    const runtime = { run: () => new Promise<FakeJob>((resolve) => setTimeout(() => resolve(job), 20)) };
    const played = await play(['run', '--', 'x'], { runtime, interrupt: (press) => void setTimeout(press, 5) });
    expect(job.asked).toEqual(['ask']);
    expect(played.status).toBe(130);
    expect(played.err).toContain('nothing of the command is alive');
  });
});

test('when the reader of stdout goes away, the run is cancelled and that is said', async () => {
  const job = fakeJob([entry('stdout', 'one\n'), entry('stdout', 'two\n')]);
  job.cancel = async () => {
    job.asked.push('ask');
    job.end({ kind: 'cancelled' });
    return job.closed;
  };
  const played = await play(['run', '--', 'yes'], { ...on(job), out: collectingSink(1) });
  expect(played).toMatchObject({ status: 130, out: 'one\n' });
  expect(played.err).toContain('the reader of the output went away; cancelling run 01RUN');
  expect(job.asked).toEqual(['ask']);
});

describe('--detach', () => {
  test('prints the id alone and starts a watcher with the same home', async () => {
    const played = await play(['run', '--detach', '--config', '/c.yaml', '--', 'x'], submit(true));
    expect(played).toMatchObject({ status: 0, out: '01RUN\n', err: '' });
    expect(played.detached).toEqual([['attend', '01RUN', '--home', '/data', '--config', '/c.yaml']]);
  });

  test('a run that was there already gets another watcher only when it has none', async () => {
    const holder = { machine: 'm', pid: 1, started: '1' };
    expect((await play(['run', '--detach', '--', 'x'], submit(false, { holder }))).detached).toEqual([]);
    expect((await play(['run', '--detach', '--', 'x'], submit(false, { status: 'closed' }))).detached).toEqual([]);
    expect((await play(['run', '--detach', '--', 'x'], submit(false))).detached).toHaveLength(1);
  });
});

describe('refused before anything is opened', () => {
  const refused: [string[], string][] = [
    [['run'], 'there is no command to run'],
    [['run', '--'], 'there is no command to run'],
    [['run', '--script', 'x', '--', 'y'], '--script and a command after -- were both given'],
    [['run', '--out', 'x', '--', 'y'], '--out was given, but no --collect'],
    [['run', '--env', 'A', '--', 'y'], "--env takes NAME=VALUE, but got 'A'"],
    [['run', '--label', '=b', '--', 'y'], '--label takes NAME=VALUE'],
  ];
  test.each(refused)('%j', async (line, message) => {
    const played = await play(line);
    expect(played.status).toBe(125);
    expect(played.err).toContain(message);
    expect(played.err).not.toMatch(/\n\s+at /);
  });

  test.each(['TOKEN=hunter2', 'hunter2', '=hunter2', 'TOKEN=http://hunter2', 'hunter2=x'.slice(0, 7)])(
    'the secret value in --secret %s',
    async (given) => {
      const played = await play(['run', '--json', '--secret', given, '--', 'x']);
      expect(played.status).toBe(125);
      expect(played.err).toContain('secret://');
      expect(played.err + played.out).not.toContain('hunter2');
    },
  );
});
