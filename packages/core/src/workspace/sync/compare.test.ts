import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from './compare.ts';
import { same } from './version.ts';
import type { Version } from './version.ts';

const file = (sha256: string, mode = 0o644): Version => ({ kind: 'file', mode, size: 1, sha256 });
const directory: Version = { kind: 'directory' };
const link = (target: string): Version => ({ kind: 'link', target });

test.each([
  ['untouched', file('a'), file('a'), file('a'), 'same'],
  ['changed here only', file('a'), file('a'), file('b'), 'same'],
  ['deleted here only', file('a'), file('a'), undefined, 'same'],
  ['changed there only', file('a'), file('b'), file('a'), 'write'],
  ['only its mode', file('a'), file('a', 0o755), file('a'), 'write'],
  ['the owner’s bits, which providers add, are no change', file('a', 0o444), file('a', 0o644), file('a', 0o444), 'same'],
  ['changed in the same way', file('a'), file('b'), file('b'), 'same'],
  ['changed differently', file('a'), file('b'), file('c'), 'changed-both'],
  ['content there, mode here', file('a'), file('b'), file('a', 0o755), 'changed-both'],
  ['new there', undefined, file('b'), undefined, 'write'],
  ['new on both sides, the same', undefined, file('b'), file('b'), 'same'],
  ['new on both sides, differently', undefined, file('b'), file('c'), 'changed-both'],
  ['new there, a directory here', undefined, file('b'), directory, 'in-the-way'],
  ['deleted there', file('a'), undefined, file('a'), 'delete'],
  ['deleted on both sides', file('a'), undefined, undefined, 'same'],
  ['deleted there, changed here', file('a'), undefined, file('b'), 'deleted-there'],
  ['deleted here, changed there', file('a'), file('b'), undefined, 'deleted-here'],
  ['a file became a link', file('a'), link('x'), file('a'), 'write'],
  ['a link was pointed elsewhere on both sides', link('x'), link('y'), link('z'), 'changed-both'],
  ['a directory became a file', directory, file('b'), directory, 'write'],
  ['a directory became a file, and is gone here', directory, file('b'), undefined, 'write'],
] as const)('%s', (_name, base, remote, local, expected) => {
  expect(decide({ base, remote, local })).toBe(expected);
});

test('whatever the three sides are, only what is here as it went in is replaced or removed', () => {
  const version = fc.option(
    fc.oneof(
      fc.constantFrom('a', 'b', 'c').map((sha) => file(sha)),
      fc.constantFrom('x', 'y').map(link),
      fc.constant(directory),
    ),
    { nil: undefined },
  );
  fc.assert(
    fc.property(version, version, version, (base, remote, local) => {
      const decision = decide({ base, remote, local });
      if (decision === 'delete') expect(remote === undefined && same(local, base)).toBe(true);
      if (decision === 'write') expect(local === undefined || same(local, base)).toBe(true);
      if (decision === 'same') expect(same(local, remote) || same(remote, base)).toBe(true);
    }),
  );
});
