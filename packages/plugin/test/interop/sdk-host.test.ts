// A Go host on the public contract's own library takes a TypeScript provider of ours through everything that it does.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBed } from '../bed.ts';
import type { Bed } from '../bed.ts';
import { buildGoPrograms } from './go.ts';
import type { GoPrograms } from './go.ts';

let built: GoPrograms | string = 'not built';
let go: GoPrograms;
beforeAll(async () => {
  built = await buildGoPrograms('sdk');
});
afterAll(async () => {
  if (typeof built !== 'string') await built[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (typeof built === 'string') context.skip(built);
  else go = built;
});

async function drive(bed: Bed, task: object): Promise<Record<string, unknown>> {
  const program = join(import.meta.dirname, '../programs/whole.ts');
  const directory = await bed.program([process.execPath, program], 'whole');
  const env = { ...process.env, ERRAND_PLUGIN_HOME: bed.home };
  return await new Promise((resolve, reject) => {
    const child = execFile(go.host, [join(directory, 'whole')], { timeout: 120_000, env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stderr}`, { cause: error }));
      else resolve(JSON.parse(stdout) as Record<string, unknown>);
    });
    child.stdin?.end(JSON.stringify(task));
  });
}

const life = {
  config: { provider: 'whole', region: 'here' },
  type: 'whole.thing',
  name: 'db',
  first: { size: 1 },
  second: { size: 2, tags: ['a'] },
};

test('it finds what is served, initialises it, and reads who it is and what it can', async () => {
  await using bed = await createBed();
  const seen = await drive(bed, { config: life.config });
  expect(seen).toMatchObject({ name: 'whole', version: '2.3.4', types: ['whole.thing'], planVersion: 'v2' });
  const iac = 'workflow.plugin.external.iac';
  const wanted = ['IaCProviderRequired', 'ResourceDriver', 'IaCProviderRunner', 'IaCProviderJobCanceler'];
  expect(seen['services']).toEqual(expect.arrayContaining(wanted.map((name) => `${iac}.${name}`)));
});

test('a resource is created, read, compared, updated and deleted; what is gone says so in the words of a Go host', async () => {
  await using bed = await createBed();
  const seen = await drive(bed, life);
  const thing = { name: 'db', type: 'whole.thing', id: 'thing-db' };
  expect(seen).toMatchObject({
    created: { ...thing, outputs: { size: 1, region: 'here' } },
    read: { ...thing, outputs: { size: 1, region: 'here' } },
    diffs: [false, true, false],
    updated: { ...thing, outputs: { size: 2, tags: ['a'], region: 'here' } },
  });
  expect(seen['gone']).toMatch(/code = NotFound .*iac: resource not found/);
  expect(seen['unknownType']).not.toContain('iac: resource not found');
  expect(seen['unknownType']).toContain('no.such.type');
});

test('a job runs, and its output comes apart by stream', async () => {
  await using bed = await createBed();
  const seen = await drive(bed, { ...life, job: 'echo "$GREETING"; echo bad >&2; exit 3' });
  expect(seen).toMatchObject({ state: 'JOB_STATE_FAILED', jobExit: 3, stdout: 'hello from go\n', stderr: 'bad\n' });
});

test('it ends by itself when the host says so', async () => {
  await using bed = await createBed();
  const seen = await drive(bed, { config: {} });
  expect(seen['exitCode']).toBe(0);
  // Beyond two seconds the host kills.
  expect(seen['endedAfter']).toBeLessThan(1900);
});
