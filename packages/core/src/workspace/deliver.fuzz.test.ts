// Whatever a provider or a job sends, nothing outside of the directory is touched, and no link that came leads out of it.
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isErrandError, type TreeEntry } from '@errand/contract';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deliver } from './deliver.ts';
import { syncFiles } from './sync/sync.ts';

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'errand-fuzz-')));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const part = fc.constantFrom('a', 'b', 'l', 'there', '..', '.', '', '...', 'a\0', '\\', '~', '.git', 'ü');
const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(fc.constantFrom('a', 'b', 'l', 'there'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
  },
  { weight: 2, arbitrary: fc.array(part, { maxLength: 4 }).map((parts) => parts.join('/')) },
  { weight: 1, arbitrary: fc.constantFrom('/etc/errand-fuzz', '../outside/x', 'x'.repeat(300), 'a/'.repeat(2_000)) },
);
const entry: fc.Arbitrary<TreeEntry> = fc.oneof(
  path.map((one): TreeEntry => ({ kind: 'directory', path: one, mode: 0o7777 })),
  fc.record({
    kind: fc.constant('link' as const),
    path,
    target: fc.oneof(path, fc.constantFrom('..', '../..', 'l/..', 'l/../..', '/')),
  }),
  fc
    .record({ path, mode: fc.constantFrom(0, 0o644, 0o6777), size: fc.nat(20), text: fc.string({ maxLength: 20 }) })
    .map(({ text, ...rest }): TreeEntry => ({
      ...rest,
      kind: 'file',
      content: async function* () {
        yield Buffer.from(text);
      },
    })),
);

/** `there` leads out already; nobody may go through it. */
async function prepare(): Promise<string> {
  await rm(base, { recursive: true, force: true });
  for (const name of ['out', 'outside', 'kept']) await mkdir(join(base, name), { recursive: true });
  await writeFile(join(base, 'outside/x'), 'precious');
  await symlink('../outside', join(base, 'out/there'));
  return join(base, 'out');
}

async function* stream(entries: readonly TreeEntry[]): AsyncGenerator<TreeEntry> {
  yield* entries;
}

async function expectContained(out: string): Promise<void> {
  expect(readdirSync(base).toSorted()).toEqual(['kept', 'out', 'outside']);
  expect(readdirSync(join(base, 'outside'))).toEqual(['x']);
  expect(readFileSync(join(base, 'outside/x'), 'utf8')).toBe('precious');
  for (const found of await readdir(out, { recursive: true, withFileTypes: true })) {
    const full = join(found.parentPath, found.name);
    if (!found.isSymbolicLink()) expect(lstatSync(full).mode & 0o7000).toBe(0);
    else if (full !== join(out, 'there')) expect(`${target(full) ?? out}/`.startsWith(`${out}/`)).toBe(true);
  }
}

/** Undefined when it leads nowhere, or round in circles. */
function target(link: string): string | undefined {
  try {
    const real = realpathSync(link);
    // By way of the link that was there before, which is the person's own affair.
    return real === join(base, 'outside') || real === join(base, 'outside/x') ? undefined : real;
  } catch {
    return undefined;
  }
}

test('collected files', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 8 }), async (entries) => {
      const out = await prepare();
      await deliver(stream(entries), out, { key: 'run-1' }).catch((error: unknown) => expect(isErrandError(error)).toBe(true));
      await expectContained(out);
    }),
    { numRuns: 150 },
  );
}, 60_000);

test('changes that are synced back', async () => {
  const { signal } = new AbortController();
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 8 }), async (entries) => {
      const out = await prepare();
      await syncFiles({
        directory: join(base, 'kept'),
        workspace: out,
        run: 'run-1',
        epoch: 1,
        exclude: [],
        signal,
        collect: () => stream(entries),
        stillOurs: async () => {},
      }).catch((error: unknown) => expect(isErrandError(error), String(error)).toBe(true));
      await expectContained(out);
    }),
    { numRuns: 120 },
  );
}, 60_000);
