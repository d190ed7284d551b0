import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endOrphans } from '../../src/launch/orphans.ts';
import { identityOf } from '../../src/launch/process-identity.ts';
import { createBed, echoProgram, expectNothingLeft, isGone, records, until } from '../bed.ts';
import type { Bed } from '../bed.ts';

const hostProgram = join(import.meta.dirname, '../programs/host.ts');

/** Speaks HTTP/2 and takes no notice of anything, as a Go plugin does whose host is killed. */
const deaf = `import http2 from "node:http2";
  process.on("SIGTERM", () => {});
  const path = process.env.PLUGIN_UNIX_SOCKET_DIR + "/s";
  http2.createServer().listen(path, () => console.log("1|1|unix|" + path + "|grpc"));`;

async function host(bed: Bed, directory: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [hostProgram, directory, bed.home], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, plugin: Number(String(line)) };
}

test('a plugin of ours ends by itself when its host is killed', async () => {
  await using bed = await createBed();
  const { child, plugin } = await host(bed, await bed.program([process.execPath, echoProgram], 'echo'));
  child.kill('SIGKILL');
  await until(() => isGone(plugin));
  await endOrphans(bed.home, () => undefined);
  await expectNothingLeft(bed);
});

test('a deaf plugin of a killed host is ended by the next start, and not before its host is dead', async () => {
  await using bed = await createBed();
  const { child, plugin } = await host(bed, await bed.script(deaf));
  await endOrphans(bed.home, (line) => bed.lines.push(line));
  expect(isGone(plugin)).toBe(false);
  expect(bed.lines).toEqual([]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isGone(plugin)).toBe(false);
  await endOrphans(bed.home, (line) => bed.lines.push(line));
  expect(isGone(plugin)).toBe(true);
  expect(bed.lines).toEqual([expect.stringMatching(new RegExp(`ended the plugin process ${plugin} of`))]);
  await expectNothingLeft(bed);
});

test('a host that leaves by process.exit takes a deaf plugin along', async () => {
  await using bed = await createBed();
  const { child, plugin } = await host(bed, await bed.script(deaf), { LEAVE: 'exit' });
  await until(() => isGone(plugin));
  if (child.exitCode === null) await once(child, 'exit');
  const [left] = (await records(bed.home)) as { socketDirectory: string }[];
  expect(existsSync(left?.socketDirectory ?? '')).toBe(false);
  await endOrphans(bed.home, () => undefined);
  await expectNothingLeft(bed);
});

/** A record as a host that was killed would have left it. */
async function leaveRecord(bed: Bed, plugin: unknown, more: Record<string, unknown> = {}): Promise<void> {
  const started = identityOf(process.pid)?.started ?? '';
  const socketDirectory = join(tmpdir(), 'errand-plugin-of-the-test');
  const record = {
    version: 1,
    machine: hostname(),
    host: { pid: process.pid, started: `${started}0` },
    directory: '/d',
    socketDirectory,
    ...more,
  };
  await mkdir(join(bed.home, 'processes'), { recursive: true });
  await writeFile(join(bed.home, 'processes/a.json'), JSON.stringify({ ...record, ...(plugin === undefined ? {} : { plugin }) }));
}

function bystander(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  return child as typeof child & { pid: number };
}

test('a process that only has the pid of a plugin is not touched', async () => {
  await using bed = await createBed();
  const child = bystander();
  try {
    await leaveRecord(bed, { pid: child.pid, started: 'another time' });
    await endOrphans(bed.home, () => undefined);
    expect(isGone(child.pid)).toBe(false);
    expect(await records(bed.home)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a plugin whose pid was never written is found by its socket directory', async (context) => {
  if (process.platform !== 'linux') context.skip('only Linux tells the environment of another process');
  await using bed = await createBed();
  const child = bystander({ PLUGIN_UNIX_SOCKET_DIR: join(tmpdir(), 'errand-plugin-of-the-test') });
  try {
    await until(() => identityOf(child.pid) !== undefined);
    await leaveRecord(bed, undefined);
    await endOrphans(bed.home, () => undefined);
    expect(isGone(child.pid)).toBe(true);
    expect(await records(bed.home)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('records of another machine, of the future and garbage are left alone', async () => {
  await using bed = await createBed();
  for (const more of [
    { machine: 'elsewhere' },
    { version: 2 },
    { socketDirectory: '/etc' },
    { host: { pid: 1, started: 'unknown' } },
  ]) {
    await leaveRecord(bed, undefined, more);
    await endOrphans(bed.home, () => undefined);
    expect(await readdir(join(bed.home, 'processes'))).toEqual(['a.json']);
  }
  await writeFile(join(bed.home, 'processes/b.json'), '{"version":1,');
  await endOrphans(bed.home, () => undefined);
  expect(await readdir(join(bed.home, 'processes'))).toEqual(['a.json', 'b.json']);
});
