import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closePlace, extendPlace, passFence, readPlace } from './place.ts';

async function bed() {
  const dir = await mkdtemp(join(tmpdir(), 'errand-place-'));
  await writeFile(join(dir, 'place.json'), JSON.stringify({ owner: 'o', key: 'k', epoch: 2, expiresAt: 1_000 }));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

function read(dir: string) {
  const place = readPlace(dir);
  if (!place) throw new Error('no place');
  return place;
}

test('fence and expiry only rise', async () => {
  await using made = await bed();
  const { dir } = made;
  expect(() => passFence(dir, read(dir), 1)).toThrow('holder 2 has it now');
  passFence(dir, read(dir), 2);
  passFence(dir, read(dir), 5);
  expect(read(dir).epoch).toBe(5);
  extendPlace(dir, read(dir), 500);
  expect(read(dir).expiresAt).toBe(1_000);
  extendPlace(dir, read(dir), 3_000);
  extendPlace(dir, read(dir), 2_000);
  expect(read(dir)).toMatchObject({ expiresAt: 3_000, epoch: 5, owner: 'o', key: 'k', releasing: false });
});

test('two holders that write from an old reading cannot undo each other', async () => {
  await using made = await bed();
  const { dir } = made;
  const stale = read(dir);
  passFence(dir, stale, 7);
  passFence(dir, stale, 3);
  extendPlace(dir, stale, 9_000);
  extendPlace(dir, stale, 4_000);
  closePlace(dir);
  closePlace(dir);
  expect(read(dir)).toMatchObject({ epoch: 7, expiresAt: 9_000, releasing: true });
  expect((await readdir(dir)).filter((name) => name.startsWith('epoch.'))).toContain('epoch.7');
});

test('no directory is no place', () => {
  expect(readPlace('/no/such/place')).toBeUndefined();
});
