import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isIgnored, parseIgnore, type IgnoreFile } from './ignore.ts';

/** As a walk would ask: parents first, nothing below an ignored directory is looked at. */
function ignored(files: readonly IgnoreFile[], path: string, isDirectory = false): boolean {
  const parts = path.split('/');
  return parts.some((_, i) => {
    const here = parts.slice(0, i + 1).join('/');
    const seen = files.filter((file) => file.base === '' || here.startsWith(`${file.base}/`));
    return isIgnored(seen, here, i < parts.length - 1 || isDirectory);
  });
}

const one = (text: string) => [parseIgnore(text, '')];

describe('rules', () => {
  test.each([
    ['*.log', 'a/b/x.log', true],
    ['/x.log', 'a/x.log', false],
    ['/x.log', 'x.log', true],
    ['build/', 'build', false],
    ['build/', 'src/build/x', true],
    ['a/*.c', 'a/x.c', true],
    ['a/*.c', 'b/a/x.c', false],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['**/z', 'z', true],
    ['a/**', 'a/b', true],
    ['x?z', 'x/z', false],
    ['x[!a-c]z', 'xdz', true],
    ['x[!a-c]z', 'xbz', false],
    ['x[[:digit:]]', 'x7', true],
    ['x[]-]', 'x]', true],
    ['x[', 'x[', false],
    [String.raw`x\*`, 'x*', true],
    [String.raw`x\*`, 'xy', false],
    [String.raw`\#x`, '#x', true],
    ['#x', '#x', false],
    [String.raw`\!x`, '!x', true],
    ['x  ', 'x', true],
    ['x\\  ', 'x ', true],
    ['x\r\ny', 'x', true],
    ['*\n!keep', 'keep', false],
    ['dir\n!dir/keep', 'dir/keep', true],
    ['é', 'é', true],
    ['a**b', 'a/b', false],
    // Git begins anew behind the plain part of a pattern.
    ['x/foo**/bar', 'x/foobar', true],
    ['x/foo**/bar', 'x/foo1/2/bar', true],
    ['\u{FEFF}x', 'x', true],
  ])('%j on %j: %s', (text, path, expected) => {
    expect(ignored(one(text), path)).toBe(expected);
  });

  test('a deeper file beats a higher one', () => {
    const files = [parseIgnore('*.log', ''), parseIgnore('!keep.log\n/only', 'sub')];
    expect(['x.log', 'sub/x.log', 'sub/keep.log', 'sub/only', 'sub/d/only'].map((path) => ignored(files, path))).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
  });
});

const hasGit = spawnSync('git', ['--version']).status === 0;

test('agrees with git check-ignore on random patterns and paths', async (context) => {
  if (!hasGit) {
    if (process.env['CI']) throw new Error('git is missing');
    context.skip('git is not installed');
  }
  const root = await mkdtemp(join(tmpdir(), 'errand-ignore-'));
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const git = (args: string[], input?: string) => spawnSync('git', args, { cwd: root, env, input, encoding: 'utf8' });
  execFileSync('git', ['init', '-q'], { cwd: root, env });

  const plain = ['a', 'b', 'ab', 'c', '/', ' ', '!', '#', '.', '-', 'é', '\\', '\\*', '\\ ', '\\/'];
  const stars = ['*', '**', '***', '?', '/**/', '**/', '/**'];
  const classes = '[ab] [!a] [^b] [a-c] [c-a] []a] [!]a] [ ] [[:alpha:]] [[:foo:]] [a- [\\]a] [[:a]'.split(' ');
  const piece = fc.constantFrom(...plain, ...stars, ...classes);
  const line = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  const name = fc.constantFrom('a', 'b', 'ab', 'c', 'abc', 'a b', 'é', 'a*', '!a', '#a', '[', 'b-', '.a', 'a]', 'bb', ' ');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 5 }),
      fc.option(fc.tuple(fc.constantFrom('a', 'ab', 'a/b'), fc.array(line, { minLength: 1, maxLength: 3 })), { nil: undefined }),
      fc.array(path, { minLength: 1, maxLength: 12 }),
      async (lines, nested, paths) => {
        await rm(join(root, 'w'), { recursive: true, force: true });
        const files = [parseIgnore(lines.join('\n'), 'w')];
        await mkdir(join(root, 'w'));
        await writeFile(join(root, 'w', '.gitignore'), lines.join('\n'));
        if (nested) {
          await mkdir(join(root, 'w', nested[0]), { recursive: true });
          await writeFile(join(root, 'w', nested[0], '.gitignore'), nested[1].join('\n'));
          files.push(parseIgnore(nested[1].join('\n'), `w/${nested[0]}`));
        }
        const made: string[] = [];
        for (const candidate of paths) {
          const full = `w/${candidate}`;
          try {
            await mkdir(join(root, dirname(full)), { recursive: true });
            await writeFile(join(root, full), '', { flag: 'wx' });
            made.push(full);
          } catch {
            // A file of an earlier path is in the way, or the path is a directory already.
          }
        }
        const answer = git(['check-ignore', '--no-index', '-z', '--stdin'], made.join('\0')).stdout;
        const theirs = new Set(answer.split('\0').filter((text) => text !== ''));
        const ours = new Set(made.filter((full) => ignored(files, full)));
        expect([...ours].toSorted()).toEqual([...theirs].toSorted());
      },
    ),
    { numRuns: Number(process.env['ERRAND_IGNORE_RUNS'] ?? 150) },
  );
  await rm(root, { recursive: true, force: true });
});
