import type { CheckedStack, InfraStack, Stack, StackLock } from '@errand/core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectingSink, play } from '../../test/fakes.ts';
import type { Stage } from '../../test/fakes.ts';
import { fakePlan, fakeRecord, fakeStack, runtimeWith } from '../../test/fake-stack.ts';

const head = { stack: 'default', lineage: 'l', serial: 7, updatedAt: 0 };
const on = (change: Partial<InfraStack>, line: string, stage: Stage = {}) =>
  play(['infra', ...line.split(' ')], { runtime: runtimeWith(fakeStack(fakePlan([]), change)), ...stage });
const state = async () => ({ ...head, resources: new Map([['db', fakeRecord()]]), outputs: new Map() });

describe('drift', () => {
  const drift = {
    name: 'a',
    type: 'local.file',
    provider: 'here',
    drifted: true,
    class: 'config' as const,
    fields: ['size.x', 'y'],
  };
  test('is 2, tells what, and changes nothing', async () => {
    const found = [
      { ...drift, expected: { size: { x: 1 } }, actual: { size: { x: 2 } } },
      { ...drift, name: 'a2', fields: ['k.l'], expected: { 'k.l': 1 }, actual: { 'k.l': 3 } },
      { ...drift, name: 'b', class: 'ghost' as const, fields: [] },
      { ...drift, name: 'c', drifted: false, class: 'in-sync' as const, fields: [] },
    ];
    const played = await on({ drift: async () => found }, 'drift');
    expect(played.status).toBe(2);
    expect(played.out).toBe(
      '~ a (local.file)\n    size.x: 1 → 2\n    y\n~ a2 (local.file)\n    k.l: 1 → 3\n- b (local.file) is gone\nDrift: 3 of 4 resources.\n',
    );
  });

  test('none is 0', async () => {
    expect(await on({ drift: async () => [] }, 'drift')).toMatchObject({ status: 0, out: 'No drift: 0 resources looked at.\n' });
  });
});

test('refresh', async () => {
  const result = { refreshed: ['a'], ghosts: ['b'], serial: 4 };
  expect((await on({ refresh: async () => result }, 'refresh')).out).toBe('~ a is recorded as it is now\n- b is gone\n');
  expect(JSON.parse((await on({ refresh: async () => result }, 'refresh --json')).out)).toEqual(result);
});

describe('import', () => {
  test('of one and of all', async () => {
    const asked: unknown[] = [];
    const change: Partial<InfraStack> = {
      import: async (...args) => (asked.push(args), fakeRecord()),
      importAll: async (...args) => (asked.push(args), [fakeRecord()]),
    };
    expect((await on(change, 'import db id-1')).out).toBe('imported db (infra.database) [id-db]\n');
    expect((await on(change, 'import --all laptop infra.database --dry-run')).out).toContain('would import db');
    expect(asked).toEqual([
      ['db', 'id-1'],
      ['laptop', 'infra.database', { dryRun: true }],
    ]);
    expect((await on(change, 'import db id-1 --dry-run')).err).toContain('--dry-run was given without --all');
  });
});

describe('outputs', () => {
  const outputs: InfraStack['outputs'] = async (options) => ({
    url: { value: 'http://x', sensitive: false },
    ports: { value: [1, 2], sensitive: false },
    dsn: { value: options?.reveal ? 'hunter2' : { $sealed: 'x', $fingerprint: 'f' }, sensitive: true },
  });

  test('all, sensitive ones hidden', async () => {
    expect((await on({ outputs }, 'outputs')).out).toBe('url = "http://x"\nports = [1,2]\ndsn = (sensitive)\n');
    expect((await on({ outputs }, 'outputs --json')).out).not.toContain('$sealed');
  });

  test('one bare, for scripts; a sensitive one only when asked for', async () => {
    expect((await on({ outputs }, 'outputs url')).out).toBe('http://x\n');
    expect((await on({ outputs }, 'outputs ports')).out).toBe('[1,2]\n');
    expect(await on({ outputs }, 'outputs dsn')).toMatchObject({ status: 125, out: '' });
    expect((await on({ outputs }, 'outputs dsn --reveal')).out).toBe('hunter2\n');
    expect((await on({ outputs }, 'outputs urll')).err).toContain("there is no output 'urll'; did you mean 'url'?");
  });
});

describe('state', () => {
  test('list, show, history', async () => {
    expect((await on({ state }, 'state list')).out.split('\n')[1]).toBe(
      'db        infra.database  laptop    running  10s ago  id-db',
    );
    expect((await on({ state }, 'state show db')).out).toContain('  password: (sensitive)');
    expect((await on({ state }, 'state show dv')).err).toContain("nothing is recorded of 'dv'; did you mean 'db'?");
    const history = async () => [{ ...head, by: 'apply plan-1', resources: 3 }];
    expect((await on({ history }, 'state history')).out).toContain('7       10s ago  3          apply plan-1');
  });

  test('mv, rm, restore say the new serial', async () => {
    const asked: unknown[] = [];
    const change: Partial<InfraStack> = {
      move: async (...args) => (asked.push(args), head),
      remove: async (names) => (asked.push(names), head),
      restore: async (serial) => (asked.push(serial), head),
    };
    expect((await on(change, 'state mv a b')).out).toBe('a is recorded as b now (serial 7)\n');
    expect((await on(change, 'state rm a b')).out).toBe('forgot a, b; what it stood for was not touched (serial 7)\n');
    expect((await on(change, 'state restore 3 --json')).out).toContain('"serial":7');
    expect(asked).toEqual([['a', 'b'], ['a', 'b'], 3]);
    expect((await on(change, 'state restore x')).err).toContain("SERIAL takes a whole number above 0, but got 'x'");
  });

  describe('pull and push', () => {
    let cwd = '';
    beforeEach(async () => {
      cwd = await mkdtemp(join(tmpdir(), 'errand-state-'));
    });
    afterEach(() => rm(cwd, { recursive: true }));

    test('a document goes out and in', async () => {
      const asked: unknown[] = [];
      const change: Partial<InfraStack> = {
        pull: async () => ({ lineage: 'l' }),
        push: async (...args) => (asked.push(args), head),
      };
      const pulled = await on(change, 'state pull');
      await writeFile(join(cwd, 'state.json'), pulled.out);
      expect((await on(change, 'state push state.json --force', { cwd })).status).toBe(0);
      expect(asked).toEqual([[{ lineage: 'l' }, { force: true }]]);
      await writeFile(join(cwd, 'bad.json'), '{');
      expect((await on(change, 'state push bad.json', { cwd })).err).toContain('bad.json is not JSON; nothing was changed');
      expect((await on(change, 'state push none.json', { cwd })).err).toContain('cannot read none.json (ENOENT)');
    });
  });
});

describe('unlock', () => {
  const lock: StackLock = {
    stack: 'default',
    owner: 'ann@box',
    holder: { machine: 'box', pid: 7, started: '1' },
    reason: 'apply',
    epoch: 2,
    takenAt: 0,
    heldUntil: 20_000,
  };
  const held: Partial<InfraStack> = { lock: async () => lock, unlock: async () => lock };

  test('shows who holds it; takes it only after a yes', async () => {
    const shown =
      "the state of 'default' is locked by ann@box (process 7 on box) for apply, since 1970-01-01T00:00:00.000Z (10s ago)\n";
    const untold = await on({ lock: async () => lock }, 'unlock');
    expect([untold.status, untold.out]).toEqual([125, shown]);
    expect(untold.err).toContain('errand infra unlock --yes');
    expect(await on({ lock: async () => lock }, 'unlock', { ask: async () => 'no' })).toMatchObject({ status: 130 });
    expect((await on(held, 'unlock', { ask: async () => 'yes' })).out).toContain('unlocked');
    expect((await on(held, 'unlock --yes')).status).toBe(0);
    expect(JSON.parse((await on(held, 'unlock --yes --json')).out)).toMatchObject({ unlocked: true, lock: { owner: 'ann@box' } });
  });

  test('nobody holds it', async () => {
    expect(await on({ lock: async () => undefined }, 'unlock')).toMatchObject({
      status: 0,
      err: 'errand: nobody holds the lock\n',
    });
  });
});

describe('cleanup', () => {
  const ref = { name: 'old', type: 'infra.volume', providerId: 'v1' };
  test('only tells without --fix, and is 1 when something could not be deleted', async () => {
    const told = await on({ cleanup: async () => [{ ref, deleted: false }] }, 'cleanup --tag t');
    expect(told).toMatchObject({ status: 0, out: 'would delete old (infra.volume) [v1]\n' });
    const failed = await on({ cleanup: async () => [{ ref, deleted: false, error: 'in use' }] }, 'cleanup --tag t --fix');
    expect(failed).toMatchObject({ status: 1, out: 'could not delete old (infra.volume) [v1]: in use\n' });
    expect((await on({}, 'cleanup')).err).toContain('needs --tag');
  });
});

test('owners, status, bootstrap', async () => {
  const ref = { name: 'db', type: 'infra.database', providerId: 'id' };
  const owners = async () => [{ ref, provider: 'laptop', owner: 'team', source: 'label' }];
  expect((await on({ owners }, 'owners team')).out).toContain('db        infra.database  laptop    label    id');
  const status = async () => [{ record: fakeRecord(), status: 'running', message: 'healthy' }];
  expect((await on({ status }, 'status')).out).toContain('db        infra.database  laptop    running  healthy');
  const lost = async () => [{ record: fakeRecord(), status: 'unknown', message: 'no answer' }];
  expect(await on({ status: lost }, 'status')).toMatchObject({
    status: 125,
    err: 'errand: could not ask about 1 of 1 resource\n',
  });
  expect((await on({ bootstrap: async () => ({ BUCKET: 'b' }) }, 'bootstrap')).out).toBe('BUCKET=b\n');
});

test('rotate is 1 when the old one may still work', async () => {
  const record = fakeRecord();
  expect((await on({ rotate: async () => ({ record, revoked: true }) }, 'rotate db')).status).toBe(0);
  const half = await on({ rotate: async () => ({ record, revoked: false, problem: 'no answer' }) }, 'rotate db');
  expect([half.status, half.err]).toEqual([1, expect.stringContaining('may still work: no answer')]);
});

describe('logs', () => {
  const asked: unknown[] = [];
  const logs: InfraStack['logs'] = async function* (request) {
    asked.push(request);
    yield { bytes: Buffer.from('one\n'), source: 'web-1' };
    yield { bytes: Uint8Array.of(255), source: 'web-1' };
  };

  test('gives the bytes, or documents', async () => {
    expect((await on({ state, logs }, 'logs db --tail 5 --type build --json')).out).toBe(
      '{"source":"web-1","text":"one\\n"}\n{"source":"web-1","base64":"/w=="}\n',
    );
    expect(asked).toEqual([
      { resource: { name: 'db', type: 'infra.database', providerId: 'id-db' }, type: 'build', follow: false, tailLines: 5 },
    ]);
    const out = collectingSink();
    await on({ state, logs }, 'logs db', { out });
    expect(out.bytes()).toEqual(Buffer.from([...Buffer.from('one\n'), 255]));
    expect((await on({ state, logs }, 'logs db --type all')).err).toContain('--type takes build, deploy, run, run-restarted');
    expect((await on({ state, logs }, 'logs nope')).err).toContain("nothing is recorded of 'nope'");
  });
});

describe('validate', () => {
  const stack = fakeStack(fakePlan([])).stack;
  const problem = { severity: 'error' as const, message: 'unknown key', file: 'errand.yaml', line: 4, column: 2 };
  const validate = (checked: readonly CheckedStack[], ...more: string[]) =>
    play(['infra', 'validate', ...more], { runtime: { checkInfra: async () => checked } });

  test('all problems with their place, each once; 125 when one is an error', async () => {
    const only = { ...problem, line: 9, message: 'nobody' };
    const seen = await validate([
      { name: 'default', stack, diagnostics: [problem] },
      { name: 'prod', diagnostics: [problem, only] },
    ]);
    expect(seen).toMatchObject({
      status: 125,
      out: `errand.yaml:4:2: error: unknown key
errand.yaml:9:2: error: nobody (with --env prod)
infra: default 0 resources, 2 errors
`,
    });
  });

  test('without a problem', async () => {
    const fine = { name: 'default', stack, diagnostics: [] };
    expect(await validate([fine])).toMatchObject({ status: 0, out: 'infra: 0 resources, no problems\n' });
    expect((await validate([fine], '--json')).out).toBe('{"stacks":[{"name":"default","resources":0}],"diagnostics":[]}\n');
  });
});

test('graph as data', async () => {
  const resource = { type: 't', provider: 'p', config: {}, protected: false, adopt: false };
  const lifecycle = { createBeforeDestroy: false, ignoreChanges: [], preventDestroy: false };
  const stack: Stack = {
    name: 'default',
    providers: new Map(),
    resources: new Map([
      ['a', { ...resource, lifecycle, name: 'a', dependsOn: [] }],
      ['b', { ...resource, lifecycle, name: 'b', dependsOn: ['a'] }],
    ]),
    outputs: new Map(),
    inputs: new Map(),
  };
  expect(JSON.parse((await on({ stack }, 'graph --json')).out)).toEqual({
    stack: 'default',
    nodes: [
      { name: 'a', type: 't', provider: 'p' },
      { name: 'b', type: 't', provider: 'p' },
    ],
    edges: [{ from: 'b', to: 'a' }],
  });
  expect((await on({ stack }, 'graph --svg --dot')).err).toContain('--svg and --dot were both given');
});
