import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { entry, fakeJob, fakeLease, fakeRun, play } from '../../test/fakes.ts';

const cancel = (alreadyFinished: boolean, change = {}) => ({
  runtime: { cancel: async () => ({ run: fakeRun(change), alreadyFinished }) },
});

const handle = (lease = fakeLease()) => ({
  runtime: {
    lease: async () => ({
      id: lease.id,
      lease,
      run: async () => fakeJob([]),
      renew: async () => lease,
      release: async () => lease,
      keep: () => {},
      [Symbol.asyncDispose]: async () => {},
    }),
  },
});

describe('wait', () => {
  test('exits with the run’s status and leaves the job alone', async () => {
    const job = fakeJob([], { kind: 'signalled', signal: 'SIGTERM' });
    expect((await play(['wait', '01'], { runtime: { attach: async () => job } })).status).toBe(143);
    expect(job.asked).toEqual(['detach']);
  });

  test('Ctrl-C stops the waiting, not the run', async () => {
    const job = fakeJob([]);
    const played = await play(['wait', '01'], {
      runtime: { attach: async () => job },
      interrupt: (press) => void setTimeout(press, 5),
    });
    expect(played).toMatchObject({ status: 130, err: 'errand: stopped waiting; run 01RUN goes on\n' });
    expect(job.asked).toEqual(['detach']);
  });
});

describe('cancel', () => {
  test('of a finished run says so', async () => {
    expect(await play(['cancel', 'x'], cancel(true))).toMatchObject({
      status: 0,
      out: 'run 01RUN had finished before: exited 0\n',
    });
  });

  test('says cancelled only with proof', async () => {
    expect(await play(['cancel', 'x'], cancel(false, { outcome: { kind: 'cancelled' } }))).toMatchObject({
      status: 0,
      out: 'run 01RUN: cancelled\n',
    });
    const unproven = await play(['cancel', 'x'], cancel(false, { status: 'running', outcome: undefined, problem: 'no answer' }));
    expect(unproven.status).toBe(125);
    expect(unproven.err).toContain('not confirmed to be gone: no answer');
  });
});

describe('logs', () => {
  const entries = [entry('stdout', 'höhö\n', 'c1'), entry('stderr', Uint8Array.of(255, 0), 'c2')];
  async function* logs() {
    yield* entries;
  }

  test('gives the bytes, each stream to its own', async () => {
    expect(await play(['logs', 'x'], { runtime: { logs } })).toMatchObject({ status: 0, out: 'höhö\n' });
  });

  test('--json gives text where it is text and base64 where it is not', async () => {
    const { out } = await play(['logs', 'x', '--json'], { runtime: { logs } });
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { stream: 'stdout', cursor: 'c1', text: 'höhö\n' },
      { stream: 'stderr', cursor: 'c2', base64: '/wA=' },
    ]);
  });

  test('refuses a stream that is none', async () => {
    expect((await play(['logs', 'x', '--stream', 'both'])).err).toContain('--stream takes stdout or stderr');
  });
});

describe('lists', () => {
  test('runs: a table for people, a line each for programs', async () => {
    const runtime = { runs: async () => [fakeRun(), fakeRun({ id: '02RUN' })] };
    expect((await play(['runs'], { runtime })).out.split('\n')[1]).toBe('01RUN  exited 0  local        10s ago  2s    true');
    const lines = (await play(['runs', '--json'], { runtime })).out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['01RUN', '02RUN']);
    expect((await play(['runs', '--limit', 'many'])).err).toContain('--limit takes a whole number above 0');
  });

  test('sweep says what it did and fails when something failed', async () => {
    const line = { subject: 'place' as const, id: 'p', did: 'would-remove' as const, because: 'no lease' };
    const sweep = (did: 'would-remove' | 'failed') => ({ runtime: { sweep: async () => ({ lines: [{ ...line, did }] }) } });
    expect(await play(['sweep', '--dry-run'], sweep('would-remove'))).toMatchObject({
      status: 0,
      out: 'would remove place p: no lease\n',
    });
    expect((await play(['sweep'], sweep('failed'))).status).toBe(125);
  });
});

describe('lease release', () => {
  test('says released only when it is', async () => {
    expect(await play(['lease', 'release', 'x'], handle(fakeLease({ status: 'released' })))).toMatchObject({
      status: 0,
      out: 'lease 01LEASE is released\n',
    });
    const held = await play(['lease', 'release', 'x'], handle(fakeLease({ status: 'releasing', problem: 'no answer' })));
    expect(held.status).toBe(125);
    expect(held.err).toContain('not proven gone: no answer');
  });

  test('renew needs a ttl', async () => {
    expect((await play(['lease', 'renew', 'x'], handle())).err).toContain('errand lease renew needs --ttl');
  });
});

describe('warm', () => {
  const pool = { environment: 'box', wanted: 2, ready: 1, made: ['lease-2'], missing: 0, problems: [], swept: [] };
  const gone = { subject: 'lease' as const, id: 'lease-1', did: 'released' as const, because: "it stands on an older 'box'" };
  const stage = (change = {}, released = [gone]) => ({
    runtime: { warm: async () => ({ pools: [{ ...pool, ...change }], released }) },
  });

  test('says what it made and what it gave up', async () => {
    expect(await play(['warm'], stage())).toMatchObject({
      status: 0,
      out: "released lease lease-1: it stands on an older 'box'\nbox: 2 of 2 places ready, made 1\n",
    });
    const dry = await play(['warm', 'box', '--dry-run'], stage({ made: [], missing: 1 }, []));
    expect(dry.out).toBe('box: 1 of 2 places ready, would make 1\n');
    const [line] = (await play(['warm', '--json'], stage({}, []))).out.trim().split('\n');
    expect(JSON.parse(line ?? '')).toEqual({
      environment: 'box',
      wanted: 2,
      ready: 1,
      made: ['lease-2'],
      missing: 0,
      problems: [],
    });
  });

  test('fails when a place could not be made', async () => {
    const failed = await play(['warm'], stage({ made: [], missing: 1, problems: ['no image'] }, []));
    expect(failed).toMatchObject({ status: 125, err: "errand: could not make a place of 'box' ready: no image\n" });
  });

  test('says so when there is nothing to fill', async () => {
    const { err, status } = await play(['warm'], { runtime: { warm: async () => ({ pools: [], released: [] }) } });
    expect([status, err]).toEqual([0, 'errand: no environment keeps ready places; give one, for instance, warm: 2\n']);
  });
});

test('leases: ready ones are called so, and what stands on an older environment is said', async () => {
  const ready = fakeLease({ reuseKey: 'k', spec: { ...fakeLease().spec, warm: true } });
  const old = fakeLease({ id: '02LEASE', holder: { machine: 'm', pid: 1, started: '1' } });
  const runtime = {
    leases: async () => [ready, old],
    outdated: async () => new Map([['02LEASE', "it stands on an older 'local'"]]),
  };
  const { out, err } = await play(['leases'], { runtime });
  expect(out.split('\n')[1]).toBe('01LEASE  ready   warm      local        in 50s   -');
  expect(out.split('\n')[2]).toBe('02LEASE  idle    standing  local        in 50s   -');
  expect(err).toBe(
    "errand: lease 02LEASE: it stands on an older 'local'; it stays until 1970-01-01T00:01:00.000Z and no new run takes it by itself; release it with: errand lease release 02LEASE\n",
  );
  const documents = (await play(['leases', '--json'], { runtime })).out.trim().split('\n');
  expect(documents.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { id: '01LEASE', policy: 'warm', ready: true },
    { id: '02LEASE', policy: 'standing', ready: false, outdated: "it stands on an older 'local'" },
  ]);
});

describe('init', () => {
  let cwd = '';
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'errand-init-'));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  test('writes a config once and never over another', async () => {
    expect((await play(['init'], { cwd })).status).toBe(0);
    const first = await readFile(join(cwd, 'errand.yaml'), 'utf8');
    expect(first).toContain('environments:');
    const again = await play(['init'], { cwd });
    expect(again.status).toBe(125);
    expect(again.err).toContain('is there already');
    expect(await readFile(join(cwd, 'errand.yaml'), 'utf8')).toBe(first);
  });

  test('keeps the data directory out of git, once', async () => {
    await mkdir(join(cwd, '.git'));
    await writeFile(join(cwd, '.gitignore'), 'node_modules');
    await play(['init'], { cwd });
    expect(await readFile(join(cwd, '.gitignore'), 'utf8')).toBe('node_modules\n.errand/\n');
    await rm(join(cwd, 'errand.yaml'));
    await play(['init'], { cwd });
    expect(await readFile(join(cwd, '.gitignore'), 'utf8')).toBe('node_modules\n.errand/\n');
  });
});

test('help is for people who ask: stdout and 0; without a command: stderr and 125', async () => {
  const asked = await play(['--help']);
  expect(asked.status).toBe(0);
  expect(asked.out).toContain('lease acquire ENV');
  expect(asked.out).not.toContain('attend');
  const run = await play(['run', '--help']);
  expect(run.out).toContain('--pending-timeout D');
  expect(run.out).toContain('With --json: one document');
  expect(await play([])).toMatchObject({ status: 125, out: '' });
  expect((await play(['lease'])).err).toContain('lease renew LEASE');
});

test('--version', async () => {
  expect((await play(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
