import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileLogs } from './files.ts';
import type { LogStore } from './port.ts';

let directory: string;
let logs: LogStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'errand-logs-'));
  logs = createFileLogs(join(directory, 'logs'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const at = (cursor: string) => ({ cursor, skip: { stdout: 0, stderr: 0 } });
const path = () => join(directory, 'logs', 'r1', '1.log');

async function texts(store: LogStore): Promise<string[]> {
  const all: string[] = [];
  const view = { seals: [], epoch: 1, complete: false };
  for await (const entry of store.read('r1', view, undefined)) all.push(Buffer.from(entry.bytes).toString());
  return all;
}

test('makes nothing before the first append, and then only for its owner', async () => {
  const writer = await logs.writer('r1', 1);
  expect(await texts(logs)).toEqual([]);
  await expect(stat(join(directory, 'logs'))).rejects.toThrow(/ENOENT/);
  await writer.append('stdout', Buffer.from('x'), at('1'));
  await writer[Symbol.asyncDispose]();
  await writer[Symbol.asyncDispose]();
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'logs'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(directory, 'logs', 'r1'))).mode & 0o777).toBe(0o700);
});

test('keeps the order of appends that are not awaited, and finishes them when closed', async () => {
  const expected = Array.from({ length: 50 }, (_, i) => String(i));
  {
    await using writer = await logs.writer('r1', 1);
    for (const text of expected) void writer.append('stdout', Buffer.from(text), at(text));
  }
  expect(await texts(logs)).toEqual(expected);
});

test('goes on after its own torn end', async () => {
  {
    await using writer = await logs.writer('r1', 1);
    await writer.append('stdout', Buffer.from('one'), at('1'));
  }
  await appendFile(path(), Buffer.from([0xe7, 1, 4, 0, 9]));
  {
    await using writer = await logs.writer('r1', 1);
    await writer.append('stdout', Buffer.from('two'), at('2'));
  }
  expect(await texts(logs)).toEqual(['one', 'two']);
});

test('refuses appends after it was closed', async () => {
  const writer = await logs.writer('r1', 1);
  await writer[Symbol.asyncDispose]();
  await expect(writer.append('stdout', Buffer.from('x'), at('1'))).rejects.toMatchObject({ code: 'internal/bug' });
});

test('says that the disk is full, and is over when the failed append cannot be taken back', async () => {
  if (process.platform !== 'linux') return;
  await mkdir(join(directory, 'logs', 'r1'), { recursive: true });
  await symlink('/dev/full', path());
  await using writer = await logs.writer('r1', 1);
  const appends = ['1', '2'].map((text) => writer.append('stdout', Buffer.from(text), at(text)));
  const results = await Promise.allSettled(appends);
  expect(results).toMatchObject([{ reason: { code: 'disk/full', retry: 'later' } }, { reason: { code: 'disk/full' } }]);
});

test('says that the directory cannot be made', async () => {
  await appendFile(join(directory, 'logs'), 'a file');
  await using writer = await logs.writer('r1', 1);
  await expect(writer.append('stdout', Buffer.from('x'), at('1'))).rejects.toMatchObject({ code: 'home/unwritable' });
});

test('takes back an append that was written in part, refuses the one behind it, and then goes on', async () => {
  if (process.platform === 'win32') return;
  const script = `
    import { createFileLogs } from ${JSON.stringify(new URL('files.ts', import.meta.url).href)};
    const writer = await createFileLogs(${JSON.stringify(join(directory, 'logs'))}).writer('r1', 1);
    const put = (text) => writer.append('stdout', Buffer.from(text), { cursor: text.slice(0, 5), skip: { stdout: 0, stderr: 0 } });
    await put('small');
    const results = await Promise.allSettled([put('large'.repeat(100_000)), put('behind')]);
    await put('again');
    await writer[Symbol.asyncDispose]();
    console.log(results.map((result) => result.reason?.code).join(' '));`;
  const limited = ['-c', 'ulimit -f 16; exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { stdout } = await promisify(execFile)('sh', limited);
  expect(stdout.trim()).toBe('disk/full internal/bug');
  expect(await texts(logs)).toEqual(['small', 'again']);
  expect((await logs.tail('r1', 1)).bytes).toBe((await stat(path())).size);
});

test('refuses a run whose name is a path', async () => {
  await expect(logs.writer('../r1', 1)).rejects.toMatchObject({ code: 'internal/bug' });
  await expect(logs.tail('..', 1)).rejects.toMatchObject({ code: 'internal/bug' });
});

test('tells listeners of the run until they are disposed', async () => {
  await using writer = await logs.writer('r1', 1);
  let calls = 0;
  {
    using stack = new DisposableStack();
    stack.use(logs.watch('r1', () => calls++));
    stack.use(logs.watch('r2', () => (calls += 100)));
    await writer.append('stdout', Buffer.from('x'), at('1'));
  }
  await writer.append('stdout', Buffer.from('y'), at('2'));
  expect(calls).toBe(1);
});
