import { expect, test } from 'vitest';
import { pluginManifest } from '../serve/manifest.ts';
import { problemsOf } from './manifest-problems.ts';

const good = { name: 'a-cloud', version: '1.2.3', author: 'a', description: 'b' };

test('what we make ourselves has no problem', () => {
  expect(problemsOf(good)).toEqual([]);
  expect(problemsOf(pluginManifest({ ...good, infra: true, stateBackends: ['x'] }))).toEqual([]);
});

test.each([
  [{ name: 'A' }, 'name'],
  [{ name: 'cloud-' }, 'name'],
  [{ version: '1.2.3-rc.1' }, 'version'],
  [{ author: undefined }, 'author'],
  [{ description: '' }, 'description'],
  [{ capabilities: [] }, 'capabilities'],
  [{ iacProvider: { computePlanVersion: 'V2' } }, 'computePlanVersion'],
])('%j is told', (change, word) => {
  const problems = problemsOf({ ...good, ...change });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(word);
});
