import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { append, ask, readJobRecord, recordFile } from './record.ts';

const asked = { key: 'k', owner: 'o', mark: 'm', sandboxed: false, supervisor: { pid: 1, started: 's' } };

async function bed() {
  const dir = await mkdtemp(join(tmpdir(), 'errand-record-'));
  return { base: join(dir, 'j.x'), [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

test('of several exits the first stands, of other facts the last', async () => {
  await using job = await bed();
  expect(readJobRecord(job)).toBeUndefined();
  ask(job, asked);
  ask(job, { ...asked, supervisor: { pid: 2, started: 't' } });
  append(job, { claimed: { pid: 2, started: 't' } });
  expect(readJobRecord(job)).toMatchObject({ key: 'k', supervisor: { pid: 2 }, claimed: { pid: 2 } });
  append(job, { claimed: null });
  expect(readJobRecord(job)).not.toHaveProperty('claimed');
  append(job, { exit: { kind: 'exited', code: 3 } });
  append(job, { exit: { kind: 'lost', evidence: 'late' } });
  expect(readJobRecord(job)?.exit).toEqual({ kind: 'exited', code: 3 });
});

test('a line that a full disk tore is skipped, and what comes after it is read', async () => {
  await using job = await bed();
  ask(job, asked);
  await appendFile(recordFile(job), '\n{"exit":{"kind":"exi');
  expect(readJobRecord(job)).toEqual(asked);
  append(job, { exit: { kind: 'exited', code: 0 } });
  expect(readJobRecord(job)?.exit).toEqual({ kind: 'exited', code: 0 });
});

test('a record that is gone is not made anew', async () => {
  await using job = await bed();
  expect(() => append(job, { exit: { kind: 'exited', code: 0 } })).toThrow('ENOENT');
  await writeFile(recordFile(job), '');
  expect(readJobRecord(job)).toBeUndefined();
});
