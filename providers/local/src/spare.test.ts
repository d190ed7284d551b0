import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepSpare, linkSpare, moveSpare, takeSpare } from './spare.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'errand-spare-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function place(name: string, output = 'secret output'): string {
  const dir = join(home, name);
  mkdirSync(join(dir, 'work'), { recursive: true });
  for (const [file, text] of Object.entries({
    'place.json': '{}',
    releasing: '',
    'j.k.job': '\n{"asked":1}\n',
    'j.k.claim': '',
  })) {
    writeFileSync(join(dir, file), text);
  }
  writeFileSync(join(dir, 'j.k.out'), output);
  writeFileSync(join(dir, 'j.k.err'), '');
  return dir;
}

test('a plain place becomes a spare that tells nothing of its past', () => {
  const away = place('.gone-a');
  expect(keepSpare(home, away)).toBe(true);
  expect(existsSync(away)).toBe(false);
  const draft = join(home, 'draft');
  expect(takeSpare(home, draft)).toBe(true);
  expect(readdirSync(draft).toSorted()).toEqual(['place.json', 'spare.err', 'spare.job', 'spare.out', 'work']);
  expect(readFileSync(join(draft, 'spare.job'), 'utf8').trim()).toBe('');
  expect(statSync(join(draft, 'spare.out')).size).toBe(0);
  expect(takeSpare(home, join(home, 'other'))).toBe(false);
});

test('output that somebody has linked is let go, whatever its size, and never cut', () => {
  for (const size of [100, 2 * 1024 * 1024]) {
    const away = place(`.gone-${size}`, 'x'.repeat(size));
    const kept = join(home, `kept-${size}`);
    linkSync(join(away, 'j.k.out'), kept);
    expect(keepSpare(home, away)).toBe(true);
    const draft = join(home, `draft-${size}`);
    expect(takeSpare(home, draft)).toBe(true);
    expect(readdirSync(draft).toSorted()).toEqual(['place.json', 'spare.err', 'spare.job', 'work']);
    expect(statSync(kept)).toMatchObject({ size, nlink: 1 });
  }
});

test('what is not plain is left to be removed', () => {
  const used = place('.gone-used');
  writeFileSync(join(used, 'work', 'left'), 'x');
  expect(keepSpare(home, used)).toBe(false);

  const linked = place('.gone-linked');
  rmSync(join(linked, 'work'), { recursive: true });
  symlinkSync(tmpdir(), join(linked, 'work'));
  expect(keepSpare(home, linked)).toBe(false);

  expect(keepSpare(home, place('.gone-large', 'x'.repeat(2 * 1024 * 1024)))).toBe(false);

  const busy = place('.gone-busy');
  writeFileSync(join(busy, 'j.other.job'), '');
  expect(keepSpare(home, busy)).toBe(false);
});

test('only so many are kept', () => {
  const kept = Array.from({ length: 20 }, (_, i) => keepSpare(home, place(`.gone-${i}`)));
  expect(kept.filter(Boolean)).toHaveLength(16);
});

test('a name that is taken stays taken, and the spare record goes to nobody', () => {
  const dir = place('.gone-a');
  keepSpare(home, dir);
  const draft = join(home, 'draft');
  takeSpare(home, draft);
  writeFileSync(join(draft, 'j.k.job'), 'mine');
  expect(linkSpare(draft, join(draft, 'j.k.job'))).toBe(false);
  expect(readFileSync(join(draft, 'j.k.job'), 'utf8')).toBe('mine');
  expect(linkSpare(draft, join(draft, 'j.other.job'))).toBe(undefined);
});

test('a file without a spare is simply not there yet', () => {
  const dir = join(home, 'new');
  mkdirSync(dir);
  moveSpare(dir, 'out', join(dir, 'j.k.out'));
  expect(existsSync(join(dir, 'j.k.out'))).toBe(false);
});
