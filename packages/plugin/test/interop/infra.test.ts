// A stack on a Go provider of the public contract's own SDK, named in errand.yaml: nothing of ours is in it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRuntime } from '@errand/core';
import { lockPlugin } from '../../src/lock/verify.ts';
import { readPluginDirectory } from '../../src/launch/plugin-directory.ts';
import { createBed } from '../bed.ts';
import type { Bed } from '../bed.ts';
import { buildGoPrograms } from './go.ts';
import type { GoPrograms } from './go.ts';

let built: GoPrograms | string = 'not built';
beforeAll(async () => {
  built = await buildGoPrograms('sdk');
});
afterAll(async () => {
  if (typeof built !== 'string') await built[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (typeof built === 'string') context.skip(built);
});

async function opened(bed: Bed) {
  const { plugin } = built as GoPrograms;
  const directory = await bed.program([plugin], 'memory');
  await lockPlugin(await readPluginDirectory(directory), join(bed.directory, 'errand.lock'));
  return async (resources: object, provider: object = {}) => {
    const infra = { providers: { cloud: { use: 'memory', region: 'here', ...provider } }, resources };
    await writeFile(join(bed.directory, 'errand.yaml'), JSON.stringify({ providers: { memory: { plugin: './memory' } }, infra }));
    const env = { HOME: bed.directory, PATH: process.env['PATH'], TOKEN: 'the-token' };
    return createRuntime({ providers: [], home: bed.home, config: join(bed.directory, 'errand.yaml'), env, recover: false });
  };
}

const db = { type: 'infra.database', provider: 'cloud', config: { engine: 'postgres', tags: { list: [1, 'two', null] } } };
const app = {
  type: 'memory.thing',
  provider: 'cloud',
  config: { at: '${db.endpoint}', dsn: 'x:${db.password}', copy: '${db.tags}' },
};

test('is planned, applied and destroyed; what one resource gives reaches another; a secret stays one', async () => {
  await using bed = await createBed();
  const open = await opened(bed);
  await using runtime = await open({ app, db }, { token: { secret: 'secret://env/TOKEN' } });
  await using stack = await runtime.infra();
  const { outcomes } = await stack.apply(await stack.plan());
  expect(outcomes.map(({ resource, status }) => [resource, status])).toEqual([
    ['db', 'done'],
    ['app', 'done'],
  ]);
  const { resources } = await stack.state();
  expect(resources.get('app')?.outputs).toMatchObject({ at: 'db.memory', copy: { list: [1, 'two', null] } });
  expect(JSON.stringify(await stack.pull())).not.toContain('hunter2');
  expect(await stack.plan()).toMatchObject({ actions: [], drift: [], unchanged: 2 });
  expect(await stack.drift()).toMatchObject([{ drifted: false }, { drifted: false }]);
  const gone = await stack.apply(await stack.plan({ purpose: 'destroy' }));
  expect(gone.outcomes.map(({ resource, status }) => [resource, status])).toEqual([
    ['app', 'done'],
    ['db', 'done'],
  ]);
  expect((await stack.state()).resources.size).toBe(0);
});

test('what it refuses is a step that failed, with what the plugin said; the rest goes on', async () => {
  await using bed = await createBed();
  const open = await opened(bed);
  const bad = { type: 'memory.thing', provider: 'cloud', config: { fail: 'invalid' } };
  await using runtime = await open({ bad, after: { ...app, config: { of: '${bad.id}' } }, db });
  await using stack = await runtime.infra();
  const { outcomes } = await stack.apply(await stack.plan());
  expect(Object.fromEntries(outcomes.map((one) => [one.resource, one]))).toMatchObject({
    bad: { status: 'failed', error: { code: 'provider/refused', message: expect.stringContaining('memory: create') as string } },
    after: { status: 'skipped' },
    db: { status: 'done' },
  });
});
