import type { PlannedChange } from '@errand/core';
import { describe, expect, test } from 'vitest';
import { collectingSink } from '../../../test/fakes.ts';
import { fakeAction, fakePlan, fakeRecord } from '../../../test/fake-stack.ts';
import { createStyle } from '../style.ts';
import { planDocument, recordDocument } from './document.ts';
import { createLive } from './live.ts';
import { hasChanges, planLines } from './plan.ts';
import { failureLines, resultLine } from './result.ts';
import { recordDetails } from './state.ts';
import { textChange } from './text-change.ts';
import { leaves, touches } from './value.ts';

const plain = createStyle(false, {});
const change = (more: Partial<PlannedChange>): PlannedChange => ({
  path: 'content',
  old: 'a',
  new: 'b',
  forceNew: false,
  sensitive: false,
  unknown: false,
  ...more,
});
const show = (...args: Parameters<typeof fakePlan>) => planLines(fakePlan(...args), {}, plain);

describe('a plan for people', () => {
  test('every kind of action has its mark, its reason and the summary its count', () => {
    const desired = { ...fakeAction('create', 'x').desired, createBeforeDestroy: true } as NonNullable<
      ReturnType<typeof fakeAction>['desired']
    >;
    const lines = show([
      fakeAction('create', 'a'),
      fakeAction('update', 'b', { changes: [change({})] }),
      fakeAction('replace', 'c'),
      fakeAction('replace', 'd', { desired }),
      fakeAction('delete', 'e'),
      fakeAction('forget', 'f'),
      fakeAction('read', 'g'),
    ]);
    expect(lines.filter((line) => line.includes('local.file'))).toEqual([
      '  + a (local.file on here)',
      '  ~ b (local.file on here)',
      '  -/+ c (local.file on here)',
      '  +/- d (local.file on here)',
      '  - e (local.file on here)',
      '  . f (local.file on here)',
      '  <= g (local.file on here)',
    ]);
    expect(lines).toContain('      because it is so');
    expect(lines).toContain('      path: "a.txt"');
    expect(lines).toContain('      content: "a" → "b"');
    expect(lines.at(-1)).toBe('Plan: 1 to create, 1 to update, 2 to replace, 1 to delete, 1 to read, 1 to forget.');
  });

  test('says what is unknown, hides what is sensitive and names what forces a replacement', () => {
    const lines = show([
      fakeAction('update', 'a', {
        changes: [
          change({ path: 'dsn', new: '${db.uri}', unknown: true }),
          change({ path: 'password', old: 'hunter2', new: 'hunter3', sensitive: true }),
          change({ path: 'engine', forceNew: true }),
        ],
      }),
      fakeAction('create', 'b', {
        desired: {
          ...(fakeAction('create', 'b').desired as object),
          config: { env: { DSN: '${db.uri}', KEY: 'secret://env/KEY', LIST: ['${db.uri}'] } },
          unknown: ['env.DSN', 'env.LIST[0]'],
          sensitive: ['env.KEY'],
        } as never,
      }),
    ]).join('\n');
    expect(lines).toContain('dsn: "a" → (known after apply)');
    expect(lines).toContain('password: (sensitive) → (sensitive)');
    expect(lines).toContain('engine: "a" → "b"  # forces replacement');
    expect(lines).toContain('env.DSN: (known after apply)');
    expect(lines).toContain('env.LIST: (known after apply)');
    expect(lines).toContain('env.KEY: (sensitive)');
    expect(lines).not.toContain('hunter');
  });

  test('shows drift, outputs, what is left out and problems with their place', () => {
    const lines = show([fakeAction('update', 'b')], {
      drift: [
        { resource: 'b', type: 'local.file', class: 'config', changes: [change({})] },
        { resource: 'g', type: 'local.file', class: 'ghost', changes: [] },
      ],
      outputs: {
        dsn: { value: 'postgres://u:p@h', unknown: false, sensitive: true },
        url: { value: '${web.url}', unknown: true, sensitive: false },
      },
      excluded: ['x', 'y'],
      diagnostics: [
        { severity: 'warning', message: 'old key', file: 'errand.yaml', line: 3, column: 5, hint: 'Use the new one.' },
        { severity: 'error', resource: 'b', field: 'path', message: 'too long', provider: 'here' },
      ],
    });
    expect(lines.slice(0, 5)).toEqual([
      'Changed outside Errand since the last look:',
      '  ~ b (local.file)',
      '      content: "a" → "b"',
      '  - g (local.file) is gone',
      '',
    ]);
    expect(lines.slice(-10)).toEqual(
      [
        'Outputs:',
        '  + dsn = (sensitive)',
        '  + url = (known after apply)',
        '',
        'Left out:',
        '  x, y',
        '',
        'errand.yaml:3:5: warning: old key',
        '  hint: Use the new one.',
        'b.path: error: too long (says here)',
        '',
        'Plan: 0 to create, 1 to update, 0 to replace, 0 to delete.',
      ].slice(-10),
    );
  });

  test('one clear line when nothing is to be done; outputs that changed are something', () => {
    expect(show([], { unchanged: 12 })).toEqual(['No changes: 12 resources are as declared.']);
    const plan = fakePlan([], { unchanged: 1, outputs: { n: { value: { b: 1, a: 2 }, unknown: false, sensitive: false } } });
    expect(hasChanges(plan, { n: { value: { a: 2, b: 1 }, sensitive: false } })).toBe(false);
    expect(hasChanges(plan, { n: { value: 3, sensitive: false } })).toBe(true);
    expect(planLines(plan, {}, plain).at(-1)).toBe('No changes: 1 resource is as declared. 1 output to record.');
    expect(planLines(fakePlan([], { purpose: 'destroy' }), {}, plain)).toEqual(['Nothing is left to destroy.']);
  });

  test('names what must be allowed', () => {
    const current = fakeRecord({ name: 'db', protected: true });
    expect(show([fakeAction('delete', 'db', { current })])[1]).toBe('  - db (local.file on here)  # protected: needs --allow db');
  });

  test('what others wrote cannot steer the terminal', () => {
    const lines = show([
      fakeAction('update', 'a\u001B[2J', { because: ['\r\u001B'], changes: [change({ path: '\u001B', new: '\u001B' })] }),
    ]);
    expect(lines.join('\n')).not.toContain('\u001B');
  });

  test('of a long text, only the lines that differ', () => {
    expect(textChange('a\nb\nc\nd', 'a\nB\nc\nd')).toEqual(['  (1 line as before)', '- b', '+ B', '  (2 lines as before)']);
    expect(textChange('a\na', 'a\na\na')).toEqual(['  (2 lines as before)', '+ a']);
    expect(show([fakeAction('update', 'a', { changes: [change({ old: 'x\ny\n', new: 'x\nz\n' })] })])).toContain('        - y');
  });
});

test('documents hold no sensitive value', () => {
  const sealed = { $sealed: 'CIPHER', $fingerprint: 'f' };
  const plan = fakePlan(
    [
      fakeAction('update', 'a', {
        changes: [change({ old: 'hunter2', new: 'hunter3', sensitive: true })],
        current: fakeRecord({ config: { env: { KEY: sealed } }, outputs: { password: 'hunter2' } }),
      }),
    ],
    {
      outputs: { dsn: { value: 'hunter2', unknown: false, sensitive: true } },
      drift: [{ resource: 'a', type: 't', class: 'config', changes: [change({ old: 'hunter2', sensitive: true })] }],
    },
  );
  const text = JSON.stringify(planDocument(plan));
  expect(text).not.toMatch(/hunter|CIPHER/);
  expect(JSON.stringify(recordDocument(fakeRecord()))).toContain('"password":"(sensitive)"');
  expect(recordDetails(fakeRecord(), plain, 0)).toContain('  password: (sensitive)');
});

describe('the end of an apply', () => {
  const plan = fakePlan([
    fakeAction('create', 'db'),
    fakeAction('create', 'web'),
    fakeAction('create', 'www'),
    fakeAction('update', 'x'),
  ]);
  const result = {
    plan: 'p',
    serial: 4,
    interrupted: false,
    failures: [{ resource: 'here', action: 'finalize', error: 'no' }],
    outcomes: [
      {
        step: 'create db',
        resource: 'db',
        status: 'failed' as const,
        ms: 5,
        error: { code: 'provider/quota', message: 'no room', next: 'Ask for more.' },
      },
      { step: 'create web', resource: 'web', status: 'skipped' as const, because: 'create db failed' },
      { step: 'create www', resource: 'www', status: 'skipped' as const, because: 'create db failed' },
      { step: 'update x', resource: 'x', status: 'done' as const, ms: 5 },
    ],
  };

  test('counts what was really done', () => {
    expect(resultLine(plan, result, 65_000)).toBe('Apply: 0 created, 1 updated, 0 replaced, 0 deleted in 1m 5s.');
  });

  test('tells each failure with its cause and next step, and who was skipped because of whom', () => {
    expect(failureLines(plan, result)).toEqual([
      'not everything was done: 1 failed, 2 skipped, 1 problem at the end',
      '  db: creating failed (provider/quota): no room',
      '    next: Ask for more.',
      '  here: finalize failed: no',
      '  skipped because create db failed: web, www',
    ]);
  });
});

test('the live region is taken away before anything lasting is written, and no line wraps', async () => {
  const sink = { ...collectingSink(), isTTY: true, columns: 10 };
  const live = createLive(sink);
  live.show(['one', 'x'.repeat(50)]);
  live.print('done');
  await live.close();
  expect(sink.text()).toBe(`one\nxxxxxxxx…\n\u001B[2A\u001B[0Jdone\none\nxxxxxxxx…\n\u001B[2A\u001B[0J`);
});

test('paths', () => {
  expect(leaves({ a: { b: 1, c: {} }, d: [1] }).map((one) => one.path)).toEqual(['a.b', 'a.c', 'd']);
  expect([touches(['a.b'], 'a'), touches(['a'], 'a.b'), touches(['ab'], 'a'), touches(['a[0].x'], 'a')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});
