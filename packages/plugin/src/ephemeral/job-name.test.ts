import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobNameOf } from './job-name.ts';

test('an id of ours stays readable', () => {
  expect(jobNameOf('run-0198c2d4e5f6')).toBe('errand-run-0198c2d4e5f6');
});

test('any key becomes a DNS label, always the same one, and no two become one', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 8 }), (keys) => {
      const names = keys.map(jobNameOf);
      for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9-]{0,61}[a-z0-9]$/);
      expect(new Set(names).size).toBe(keys.length);
      expect(keys.map(jobNameOf)).toEqual(names);
    }),
  );
  expect(jobNameOf('A')).not.toBe(jobNameOf('a'));
});
