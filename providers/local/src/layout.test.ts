import { expect, test } from 'vitest';
import { jobHandle, jobState, markOf, nameOf, placeHandle, placeState } from './layout.ts';

test('a key becomes a safe directory name, and different keys different ones', () => {
  expect(nameOf('run_01.x-2')).toBe('run_01.x-2');
  for (const key of ['', '.', '..', '.hidden', 'a/b', 'a b', 'ü', '~x', 'x'.repeat(200), 'a\0b']) {
    expect(nameOf(key)).toMatch(/^~[0-9a-f]{64}$/);
  }
  expect(nameOf('a/b')).not.toBe(nameOf('a_b'));
});

test('a handle that was tampered with leads nowhere', () => {
  expect(jobState(jobHandle('p', 'j'))).toEqual({ place: 'p', job: 'j' });
  expect(placeState({ ...placeHandle('p'), state: { place: '../../etc' } })).toBeUndefined();
  expect(jobState({ ...jobHandle('p', 'j'), state: { place: 'p', job: '..' } })).toBeUndefined();
  expect(jobState({ ...jobHandle('p', 'j'), state: ['p', 'j'] })).toBeUndefined();
});

test('jobs of the same key in different homes have different marks', () => {
  expect(markOf('/a', 'p', 'j')).not.toBe(markOf('/b', 'p', 'j'));
  expect(markOf('/a', 'p', 'j')).toBe(markOf('/a', 'p', 'j'));
});
