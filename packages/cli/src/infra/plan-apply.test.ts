import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InfraStack, StepOutcome } from '@errand/core';
import { collectingSink, play } from '../../test/fakes.ts';
import { fakeAction, fakePlan, fakeRecord, fakeStack, runtimeWith } from '../../test/fake-stack.ts';

const two = fakePlan([fakeAction('create', 'db'), fakeAction('create', 'web')]);
const none = fakePlan([], { unchanged: 2 });
const failed: StepOutcome = {
  step: 'create db',
  resource: 'db',
  status: 'failed',
  ms: 900,
  error: { code: 'provider/quota', message: 'no room', next: 'Ask for more.' },
};
const skipped: StepOutcome = { step: 'create web', resource: 'web', status: 'skipped', because: 'create db failed' };

let cwd = '';
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'errand-infra-'));
});
afterEach(() => rm(cwd, { recursive: true }));

const documents = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('plan', () => {
  test('shows it and passes the options on', async () => {
    const stack = fakeStack(two);
    const asked: (string | undefined)[] = [];
    const line = ['infra', 'plan', '--env', 'prod', '--target', 'db', '--target', 'web', '--exclude', 'x', '--no-refresh'];
    const played = await play([...line, '--parallelism', '3', '--destroy'], { runtime: runtimeWith(stack, asked) });
    expect(played.status).toBe(0);
    expect(played.out).toContain('Plan: 2 to create, 0 to update, 0 to replace, 0 to delete.\n');
    expect(asked).toEqual(['prod']);
    expect(stack.planned).toMatchObject([
      { target: ['db', 'web'], exclude: ['x'], refresh: false, parallelism: 3, purpose: 'destroy' },
    ]);
  });

  test('--detailed-exitcode is 2 only when there is something to do', async () => {
    const status = async (plan: typeof two) =>
      (await play(['infra', 'plan', '--detailed-exitcode'], { runtime: runtimeWith(fakeStack(plan)) })).status;
    expect([await status(two), await status(none)]).toEqual([2, 0]);
  });

  test('--json is one document', async () => {
    const { out } = await play(['infra', 'plan', '--json'], { runtime: runtimeWith(fakeStack(two)) });
    expect(documents(out)).toMatchObject([
      { id: 'plan-1', stack: 'default', actions: [{ resource: 'db' }, { resource: 'web' }] },
    ]);
  });

  test('with an error in it is shown, refused and not saved', async () => {
    const bad = { severity: 'error' as const, resource: 'db', field: '', message: 'no such size', provider: 'here' };
    const stack = fakeStack({ ...two, diagnostics: [bad] });
    const played = await play(['infra', 'plan', '--out', 'p'], { runtime: runtimeWith(stack), cwd });
    expect(played.status).toBe(125);
    expect(played.out).toContain('db: error: no such size (says here)');
    expect(played.err).toContain('the plan has 1 error and cannot be applied\n  next: Mend');
    await expect(stat(join(cwd, 'p'))).rejects.toThrow('ENOENT');
  });

  test('Ctrl-C ends it', async () => {
    let press = () => {};
    const plan: InfraStack['plan'] = (options) =>
      new Promise((_, reject) => {
        options?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        press();
      });
    const played = await play(['infra', 'plan'], {
      runtime: runtimeWith(fakeStack(two, { plan })),
      interrupt: (given) => (press = given),
    });
    expect(played).toMatchObject({ status: 130, err: 'errand: interrupted; nothing was changed\n' });
  });

  test('a number that is none is refused', async () => {
    const played = await play(['infra', 'plan', '--parallelism', 'many'], { runtime: runtimeWith(fakeStack(two)) });
    expect(played.err).toContain("--parallelism takes a whole number above 0, but got 'many'");
  });
});

describe('apply', () => {
  test.each([
    { line: ['infra', 'apply'], says: 'errand infra apply --yes; or save a plan' },
    { line: ['infra', 'destroy'], says: 'errand infra destroy --yes.' },
    { line: ['infra', 'apply', '--json'], says: 'with --json nobody is asked' },
  ])('without a terminal nobody is asked and nothing is looked at: $line', async ({ line, says }) => {
    const ask = line.includes('--json') ? async () => 'yes' : undefined;
    const played = await play(line, ask ? { ask } : {});
    expect(played.status).toBe(125);
    expect(played.err).toContain(says);
  });

  test.each([
    { answer: 'yes', status: 0, applied: 1 },
    { answer: 'y', status: 130, applied: 0 },
    { answer: '', status: 130, applied: 0 },
    { answer: undefined, status: 130, applied: 0 },
  ])('on a terminal only yes is a yes: $answer', async ({ answer, status, applied }) => {
    const stack = fakeStack(two);
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return answer;
    };
    const played = await play(['infra', 'apply'], { runtime: runtimeWith(stack), ask });
    expect([played.status, stack.applied.length]).toEqual([status, applied]);
    expect(questions).toEqual(['Apply this (2 actions)? Only yes is taken as a yes: ']);
    expect(played.out).toContain('Plan: 2 to create');
  });

  test('a plan without changes is applied without a question: it finishes what is recorded', async () => {
    const stack = fakeStack(none);
    const played = await play(['infra', 'apply'], { runtime: runtimeWith(stack), ask: async () => 'no' });
    expect([played.status, stack.applied.length]).toEqual([0, 1]);
    expect(played.out).toContain('No changes: 2 resources are as declared.\n');
  });

  test('plain lines tell what goes on', async () => {
    const head = { stack: 'default', lineage: 'l', serial: 3, updatedAt: 0 };
    const state = async () => ({ ...head, resources: new Map([['db', fakeRecord()]]), outputs: new Map() });
    const stack = fakeStack(two, { state });
    const line = ['infra', 'apply', '--yes', '--allow', 'db', '--parallelism', '4', '--owner', 'team', '--force-owner'];
    const played = await play(line, { runtime: runtimeWith(stack) });
    expect(played.status).toBe(0);
    expect(played.out).toContain('db: creating…\ndb: created in 1.2 s [id-db]\nweb: creating…\nweb: created in 1.2 s [id-web]\n');
    expect(played.out).toMatch(/Apply: 2 created, 0 updated, 0 replaced, 0 deleted in 0\.0 s\.\n$/);
    expect(stack.applied[0]?.options).toMatchObject({ allow: ['db'], parallelism: 4, owner: 'team', forceOwner: true });
    const mistyped = await play(['infra', 'apply', '--yes', '--allow', 'dbb'], { runtime: runtimeWith(stack) });
    expect(mistyped).toMatchObject({ status: 125, out: '' });
    expect(mistyped.err).toContain("there is no resource 'dbb' in the configuration or the state");
    expect(stack.applied.length).toBe(1);
  });

  test('a failed step is 1, with the cause, the next step and who was skipped', async () => {
    const stack = fakeStack(two, {}, { 'create db': failed, 'create web': skipped });
    const played = await play(['infra', 'apply', '--yes', '--quiet'], { runtime: runtimeWith(stack) });
    expect(played.status).toBe(1);
    expect(played.err).toBe(
      [
        'errand: not everything was done: 1 failed, 1 skipped',
        '  db: creating failed (provider/quota): no room',
        '    next: Ask for more.',
        '  skipped because create db failed: web',
        '  next: Mend the cause, then errand infra apply goes on with what is left.',
        '',
      ].join('\n'),
    );
  });

  test('--json is the plan, a line per event and the result', async () => {
    const stack = fakeStack(two, {}, { 'create db': failed, 'create web': skipped });
    const played = await play(['infra', 'apply', '--yes', '--json'], { runtime: runtimeWith(stack) });
    expect(documents(played.out)).toMatchObject([
      { plan: { id: 'plan-1' } },
      { event: 'started', step: 'create db', resource: 'db', at: '1970-01-01T00:00:00.000Z' },
      { event: 'ended', step: 'create db', status: 'failed', error: { code: 'provider/quota' } },
      { event: 'ended', step: 'create web', status: 'skipped', because: 'create db failed' },
      { result: { plan: 'plan-1', serial: 4, interrupted: false, exitStatus: 1 } },
    ]);
  });

  test('the first Ctrl-C finishes what is in flight, the second aborts the calls', async () => {
    const seen: string[] = [];
    let press = () => {};
    const stack = fakeStack(two, {
      apply: (_plan, options) =>
        new Promise((resolve) => {
          options?.stop?.addEventListener('abort', () => {
            seen.push('stop');
            setImmediate(press);
          });
          options?.abort?.addEventListener('abort', () => {
            seen.push('abort');
            resolve({ plan: 'plan-1', outcomes: [], serial: 4, interrupted: true, failures: [] });
          });
          press();
        }),
    });
    const played = await play(['infra', 'apply', '--yes'], {
      runtime: runtimeWith(stack),
      interrupt: (given) => (press = given),
    });
    expect(seen).toEqual(['stop', 'abort']);
    expect(played.status).toBe(130);
    expect(played.err).toContain('finishing what is in flight and starting nothing new; once more to abort the calls');
    expect(played.err).toContain('aborting the calls; the journal keeps what they were about');
    expect(played.err).toContain('interrupted: what was done is recorded\n  next: errand infra apply goes on with what is left.');
  });

  test('on a terminal what is in flight is a region that goes away', async () => {
    const out = Object.assign(collectingSink(), { isTTY: true, columns: 60 });
    await play(['infra', 'apply', '--yes'], { runtime: runtimeWith(fakeStack(two)), out, env: { NO_COLOR: '1' } });
    expect(out.text()).toContain('0 of 2 steps done\n\u001B[1A\u001B[0Jdb: created in 1.2 s [id-db]\n');
    expect(out.text()).toContain('\u001B[1A\u001B[0JApply: 2 created');
    const ci = Object.assign(collectingSink(), { isTTY: true, columns: 60 });
    await play(['infra', 'apply', '--yes'], { runtime: runtimeWith(fakeStack(two)), out: ci, env: { CI: '1', NO_COLOR: '1' } });
    expect(ci.text()).not.toContain('\u001B');
  });
});

describe('a saved plan', () => {
  const saved = async (stack = 'default') => {
    const stage = { runtime: runtimeWith(fakeStack({ ...two, stack })), cwd };
    expect((await play(['infra', 'plan', '--out', 'p.plan'], stage)).err).toBe(
      'errand: wrote the plan to p.plan; apply exactly this with: errand infra apply p.plan\n',
    );
  };

  test('is applied as it is, without a question, to the stack it was made for', async () => {
    await saved('prod');
    const stack = fakeStack(none);
    const asked: (string | undefined)[] = [];
    const played = await play(['infra', 'apply', 'p.plan'], { runtime: runtimeWith(stack, asked), cwd });
    expect(played.status).toBe(0);
    expect([stack.planned, asked]).toEqual([[], ['prod']]);
    expect(stack.applied[0]?.plan.actions.map((one) => one.resource)).toEqual(['db', 'web']);
  });

  test('takes no choices and no other environment', async () => {
    await saved();
    const stage = { runtime: runtimeWith(fakeStack(none)), cwd };
    expect((await play(['infra', 'apply', 'p.plan', '--target', 'db'], stage)).err).toContain(
      '--target was given together with the saved plan p.plan',
    );
    const other = await play(['infra', 'apply', 'p.plan', '--env', 'prod'], stage);
    expect([other.status, other.err]).toEqual([125, expect.stringContaining("p.plan is a plan for 'default', not for 'prod'")]);
  });
});

test('--force-owner needs an owner', async () => {
  const played = await play(['infra', 'apply', '--yes', '--force-owner'], { runtime: runtimeWith(fakeStack(two)) });
  expect([played.status, played.err]).toEqual([125, expect.stringContaining('no --owner says for whom')]);
});
