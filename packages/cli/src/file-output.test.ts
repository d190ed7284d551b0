import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fileOutputs } from './file-output.ts';
import { createSink } from './sink.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-output-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('two streams into one file keep the order in which they were written', async () => {
  const path = join(directory, 'both');
  const [one, two] = [openSync(path, 'a'), openSync(path, 'a')];
  const { out, err } = fileOutputs(one, two);
  if (!out || !err) throw new Error('a file was not taken for one');
  const sinks = [createSink(out), createSink(err)] as const;
  let expected = '';
  for (let i = 0; i < 200; i++) {
    const line = `${i} ${'x'.repeat(i * 50)}\n`;
    expected += line;
    await sinks[i % 2 === 0 ? 0 : 1].write(line);
  }
  await Promise.all(sinks.map((sink) => sink.flush()));
  expect(readFileSync(path, 'utf8')).toBe(expected);
  closeSync(one);
  closeSync(two);
});

test('a file that cannot take more ends the writing with its reason', async () => {
  const full = openSync('/dev/full', 'w');
  // Not a regular file, so it is left to Node.
  expect(fileOutputs(full, full)).toEqual({ out: undefined, err: undefined });
  closeSync(full);
  const readOnly = openSync(join(directory, 'read-only'), 'w+');
  const { out } = fileOutputs(readOnly, full);
  closeSync(readOnly);
  if (!out) throw new Error('a file was not taken for one');
  const sink = createSink(out);
  await sink.write('lost');
  await sink.flush();
  expect(sink.failure).toBe('EBADF');
});
