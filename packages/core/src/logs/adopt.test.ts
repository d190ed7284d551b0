import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { appendFile, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileLogs } from './files.ts';
import type { LogStore } from './port.ts';

const large = 128 * 1024;
let directory: string;
let logs: LogStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'errand-adopt-'));
  logs = createFileLogs(join(directory, 'logs'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const at = (cursor: string) => ({ cursor, skip: { stdout: 0, stderr: 0 } });
const raw = (epoch = 1) => join(directory, 'logs', 'r1', `${epoch}.stdout.raw`);
const segmentSize = async () => (await stat(join(directory, 'logs', 'r1', '1.log'))).size;

async function shown(epoch = 1): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const entry of logs.read('r1', { seals: [], epoch, complete: false }, undefined)) parts.push(entry.bytes);
  return Buffer.concat(parts);
}

test('links a file that holds much of the output, and copies only what is small', async () => {
  const path = join(directory, 'out');
  const bytes = randomBytes(2 * large);
  await writeFile(path, bytes);
  await using writer = await logs.writer('r1', 1);
  const give = (from: number, to: number) =>
    writer.append('stdout', bytes.subarray(from, to), at(String(to)), { path, offset: from });
  await give(0, 1000);
  await give(1000, 50_000);
  expect(existsSync(raw())).toBe(false);
  expect(await segmentSize()).toBeGreaterThan(50_000);
  await give(50_000, 50_000 + large);
  expect(statSync(raw()).ino).toBe(statSync(path).ino);
  // Once it is there, less is worth a reference.
  await give(50_000 + large, 70_000 + large);
  await give(70_000 + large, 2 * large);
  expect(await segmentSize()).toBeLessThan(51_000);
  await rm(path);
  expect((await shown()).equals(bytes)).toBe(true);
});

test('copies when the stream comes from another file than before', async () => {
  const [first, second] = [randomBytes(large), randomBytes(large)];
  await writeFile(join(directory, 'a'), first);
  await writeFile(join(directory, 'b'), second);
  {
    await using writer = await logs.writer('r1', 1);
    await writer.append('stdout', first, at('1'), { path: join(directory, 'a'), offset: 0 });
    await writer.append('stdout', second, at('2'), { path: join(directory, 'b'), offset: 0 });
  }
  // A name that is taken by another file is left as it is.
  await using writer = await logs.writer('r1', 1);
  await writer.append('stdout', second, at('3'), { path: join(directory, 'b'), offset: 0 });
  expect((await shown()).equals(Buffer.concat([first, second, second]))).toBe(true);
  expect(statSync(raw()).ino).toBe(statSync(join(directory, 'a')).ino);
});

test('leaves no link to a file that has other bytes', async () => {
  const path = join(directory, 'out');
  await writeFile(path, Buffer.alloc(large));
  const bytes = randomBytes(large);
  await using writer = await logs.writer('r1', 1);
  await writer.append('stdout', bytes, at('1'), { path, offset: 0 });
  expect(existsSync(raw())).toBe(false);
  expect((await shown()).equals(bytes)).toBe(true);
});

test('copies from another file system', async ({ skip }) => {
  const other = '/dev/shm';
  const differs = existsSync(other) && statSync(other).dev !== statSync(directory).dev;
  if (!differs && !process.env['CI']) skip(`${other} is not another file system than ${tmpdir()}`);
  expect(differs).toBe(true);
  const elsewhere = await mkdtemp(join(other, 'errand-adopt-'));
  try {
    const path = join(elsewhere, 'out');
    const bytes = randomBytes(large);
    await writeFile(path, bytes);
    await using writer = await logs.writer('r1', 1);
    await writer.append('stdout', bytes, at('1'), { path, offset: 0 });
    expect(existsSync(raw())).toBe(false);
    expect((await shown()).equals(bytes)).toBe(true);
  } finally {
    await rm(elsewhere, { recursive: true });
  }
});

test('says that the log is damaged when the linked bytes are gone', async () => {
  const path = join(directory, 'out');
  const bytes = randomBytes(2 * large);
  await writeFile(path, bytes);
  await using writer = await logs.writer('r1', 1);
  await writer.append('stdout', bytes.subarray(0, large), at('1'), { path, offset: 0 });
  await writer.append('stdout', bytes.subarray(large), at('2'), { path, offset: large });
  await truncate(path, 2 * large - 1);
  await expect(shown()).rejects.toMatchObject({ code: 'log/corrupt' });
  await appendFile(path, bytes.subarray(2 * large - 1));
  expect((await shown()).equals(bytes)).toBe(true);
  await rm(raw());
  await expect(shown()).rejects.toMatchObject({ code: 'log/corrupt' });
});
