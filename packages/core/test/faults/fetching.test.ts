// Files on their way out over a line that breaks: asked for again while the place is there, and told when in vain.
import { systemPorts } from '@errand/core';
import { createFakeCloud, fakeProvider, wire } from '@errand/testkit';
import type { FakeCloud, Wired } from '@errand/testkit';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Bed extends Wired {
  readonly cloud: FakeCloud;
  readonly directory: string;
}

async function makeBed(): Promise<Bed> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-fetching-'));
  await mkdir(join(directory, 'ws'));
  await writeFile(join(directory, 'ws/a'), 'as it went in');
  const { clock } = systemPorts();
  const cloud = createFakeCloud({ clock });
  const wired = await wire({ home: join(directory, 'home'), definition: fakeProvider(cloud), recover: false });
  return {
    ...wired,
    cloud,
    directory,
    async [Symbol.asyncDispose]() {
      await wired[Symbol.asyncDispose]();
      cloud[Symbol.dispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const command = ['write', 'a', 'job', 'write', 'b', 'job', 'exit', '0'];

async function play({ runtime, directory }: Bed) {
  const workspace = join(directory, 'ws');
  const both = { collect: ['a', 'b'], out: join(directory, 'out'), workspace, syncBack: true };
  const job = await runtime.run({ environment: 'here', command, ...both });
  return job.closed;
}

test('a line that breaks in the middle, several times: everything arrives in the end', async () => {
  await using bed = await makeBed();
  bed.cloud.manners.add({ on: 'host.collect', calls: [1, 2], manner: { do: 'cut', after: 1 } });
  bed.cloud.manners.add({ on: 'host.collect', calls: [4, 5], manner: { do: 'cut', after: 1 } });
  expect(await play(bed)).toMatchObject({ problem: undefined, sync: { written: 2, deleted: 0, conflicts: [] } });
  for (const path of ['out/a', 'out/b', 'ws/a', 'ws/b']) expect(readFileSync(join(bed.directory, path), 'utf8')).toBe('job');
  expect(bed.cloud.manners.calls('host.collect')).toBe(6);
});

test('a list that was cut short is never taken for deleted files', async () => {
  await using bed = await makeBed();
  bed.cloud.manners.add({ on: 'host.collect', manner: { do: 'cut', after: 0 } });
  const run = await play(bed);
  expect(run).toMatchObject({ status: 'closed', outcome: { kind: 'exited', code: 0 }, sync: undefined });
  expect(run.problem).toMatch(/could not bring the files back: .*; could not sync the changes back: /);
  expect(readFileSync(join(bed.directory, 'ws/a'), 'utf8')).toBe('as it went in');
  expect(existsSync(join(bed.directory, 'ws/b'))).toBe(false);
  expect(readdirSync(join(bed.directory, 'home/sync'))).toEqual([]);
  expect(bed.cloud.places().filter((place) => place.goneAt === undefined)).toEqual([]);
});

test('a realize whose reply was lost is done again, and the baseline tells of what went in last', async () => {
  await using bed = await makeBed();
  bed.cloud.manners.add({ on: 'host.realize', calls: [1, 1], manner: { do: 'lose-reply' } });
  expect(await play(bed)).toMatchObject({ problem: undefined, sync: { written: 2, conflicts: [] } });
});

test('a workspace that is gone when the job ends: told, with the place where the changes are', async () => {
  await using bed = await makeBed();
  const { runtime, directory } = bed;
  const workspace = join(directory, 'ws');
  const words = ['emit', '1', 'sleep', '150', ...command];
  const job = await runtime.run({ environment: 'here', command: words, workspace, syncBack: true });
  for await (const _entry of job.logs()) break;
  await rm(workspace, { recursive: true });
  const run = await job.closed;
  expect(run.problem).toContain('is not a directory any more; they are kept in');
  expect(readFileSync(join(run.sync?.kept ?? '', 'a'), 'utf8')).toBe('job');
  expect(existsSync(workspace)).toBe(false);
});
