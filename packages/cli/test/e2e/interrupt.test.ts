import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { alive, follow, lines, makePlace, program } from './errand.ts';

describe('Ctrl-C', () => {
  test('ends the whole group of the job, then exits 130', async () => {
    await using place = await makePlace();
    const run = place.start('run', '--script', 'sleep 60 & echo "$$ $!"; echo ready; wait');
    await run.says('ready');
    run.child.kill('SIGINT');
    const { status, out, err } = await run.ended;
    expect(status).toBe(130);
    expect(err).toContain('nothing of the command is alive');
    for (const pid of out.split('\n')[0]?.split(' ') ?? []) expect(alive(Number(pid))).toBe(false);
  });

  test('pressed twice, it forces a command that does not listen', async () => {
    await using place = await makePlace();
    const run = place.start(
      'run',
      '--grace',
      '60s',
      '--script',
      'trap "echo asked" TERM; echo ready; while :; do sleep 0.1; done',
    );
    await run.says('ready');
    run.child.kill('SIGINT');
    await run.says('asked');
    run.child.kill('SIGINT');
    expect((await run.ended).status).toBe(130);
  });

  test('a command that ignores the request is forced after its grace', async () => {
    await using place = await makePlace();
    const run = place.start(
      'run',
      '--grace',
      '300ms',
      '--script',
      'trap "" TERM; echo $$; echo ready; while :; do sleep 0.1; done',
    );
    await run.says('ready');
    run.child.kill('SIGTERM');
    const { status, out } = await run.ended;
    expect(status).toBe(130);
    expect(alive(Number(out.split('\n')[0]))).toBe(false);
  });
});

test('errand run | head: the run is cancelled, and that is said', async () => {
  await using place = await makePlace();
  const shell = spawn('bash', ['-c', `"$0" "$1" run -- yes | head -n 2; echo "\${PIPESTATUS[0]}"`, process.execPath, program], {
    cwd: place.directory,
    env: place.env,
  });
  const { out, err } = await follow(shell).ended;
  expect(out).toBe('y\ny\n130\n');
  expect(err).toContain('the reader of the output went away; cancelling run');
  const [run] = lines<{ outcome: unknown }>((await place.errand('runs', '--json')).out);
  expect(run?.outcome).toEqual({ kind: 'cancelled' });
});

test('errand logs | head ends quietly', async () => {
  await using place = await makePlace();
  await place.errand('run', '--quiet', '--script', 'seq 1 200000');
  const [run] = lines<{ id: string }>((await place.errand('runs', '--json')).out);
  const shell = spawn(
    'bash',
    ['-c', `"$0" "$1" logs "$2" | head -n 1; echo "\${PIPESTATUS[0]}"`, process.execPath, program, run?.id ?? ''],
    {
      cwd: place.directory,
      env: place.env,
    },
  );
  expect(await follow(shell).ended).toMatchObject({ out: '1\n0\n', err: '' });
});
