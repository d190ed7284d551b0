import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errand, time } from './command.ts';
import type { Benchmark, Result, Setup } from './result.ts';
import { compare, inTurns } from './sampling.ts';

/** A workspace in and, with --sync-back, out again, through the whole program; against a plain copy by `cp -a`. */
export const files: Benchmark = {
  name: 'files',
  async measure(setup) {
    const tenth = setup.quick ? 10 : 1;
    return [
      ...(await measureTree(setup, { name: 'files', count: 10_000 / tenth, bytes: 20_000, rounds: 5 })),
      ...(await measureTree(setup, { name: 'many files', count: 100_000 / tenth, bytes: 100, rounds: 1 })),
    ];
  },
};

interface Tree {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
  readonly rounds: number;
}

async function measureTree(setup: Setup, { name, count, bytes, rounds }: Tree): Promise<Result[]> {
  const workspace = join(setup.directory, 'workspace');
  const copy = join(setup.directory, 'copy');
  fill(workspace, count, bytes);
  const baseline = async () => {
    await rm(copy, { recursive: true, force: true });
    return time({ argv: ['cp', '-a', workspace, copy], cwd: setup.directory });
  };
  const run = (more: readonly string[]) => () =>
    time(errand(setup, 'files', ['run', '--quiet', '--workspace', workspace, ...more, '--', 'true']));
  const common = { against: 'cp -a', unit: 'ms', better: 'lower', judged: 'ratio' } as const;
  const size = `${count} files, ${Math.round((count * bytes) / 1e6)} MB`;
  const into = compare(await inTurns({ baseline, ours: run([]) }, rounds, 1));
  const both = compare(await inTurns({ baseline, ours: run(['--sync-back']) }, rounds, 1));
  await rm(workspace, { recursive: true });
  await rm(copy, { recursive: true, force: true });
  return [
    { name, what: `${size}, --workspace`, ...common, ...into },
    { name: `${name}, synced back`, what: `${size}, --sync-back, unchanged`, ...common, ...both },
  ];
}

function fill(directory: string, count: number, bytes: number): void {
  const content = Buffer.alloc(bytes, 'x');
  for (let i = 0; i < count; i++) {
    const below = join(directory, `d${Math.floor(i / 100)}`);
    if (i % 100 === 0) mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `f${i}.txt`), content);
  }
}
