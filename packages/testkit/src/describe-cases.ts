import { describe, expect, test } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';

/** The cases as tests. A skip that names no case is a mistake, and told. */
export function describeCases(
  kind: string,
  name: string,
  cases: readonly ConformanceCase[],
  skips: Readonly<Record<string, string>> | undefined,
): void {
  describe(`${kind}: ${name}`, () => {
    test.for(cases.map((one) => [one.name, one] as const))('%s', async ([, one], { skip }) => {
      const reason = await one.run();
      if (reason !== undefined) skip(reason);
    });
    test('every skip names a scenario', () => {
      // A case of one sort of thing is also meant by what it has in common with those of others.
      const names = new Set(cases.flatMap((one) => [one.name, one.name.replace(/^[^ ]+: /, '')]));
      expect(Object.keys(skips ?? {}).filter((one) => !names.has(one))).toEqual([]);
    });
  });
}
