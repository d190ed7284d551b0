// A provider in a program of its own, bundled as a published one is: how long until it can be called.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { openPluginProvider } from '@errand/plugin';
import { time } from './command.ts';
import type { Benchmark, Setup } from './result.ts';
import { compare, inTurns } from './sampling.ts';

const root = join(import.meta.dirname, '..');

export const plugin: Benchmark = {
  name: 'plugin',
  async measure(setup) {
    const directory = await buildPlugin(setup);
    const home = join(setup.directory, 'plugin-home');
    const sides = {
      baseline: () => time({ argv: [process.execPath, '-e', '0'], cwd: setup.directory }),
      ours: () => launch(directory, home),
    };
    const figures = compare(await inTurns(sides, setup.quick ? 8 : 40, 3));
    const common = { against: 'node -e 0', unit: 'ms', better: 'lower', judged: 'ratio', bar: 4 } as const;
    return [{ name: 'plugin launch', what: 'launch a TypeScript provider until it is connected', ...common, ...figures }];
  },
};

/** Milliseconds from the wish to the answer about what it can; ending it does not count. */
async function launch(directory: string, home: string): Promise<number> {
  const begun = performance.now();
  const provider = await openPluginProvider({ name: 'bench', directory, home, lockFile: undefined, log: () => undefined });
  const took = performance.now() - begun;
  await provider[Symbol.asyncDispose]();
  return took;
}

async function buildPlugin(setup: Setup): Promise<string> {
  const directory = join(setup.directory, 'bench-plugin');
  await mkdir(directory);
  await using build = await rolldown({
    cwd: root,
    platform: 'node',
    input: { program: 'bench/programs/plugin.ts' },
    external: (id) => isBuiltin(id),
    treeshake: { moduleSideEffects: false },
  });
  await build.write({ dir: directory, format: 'esm', entryFileNames: '[name].mjs', minify: true });
  await writeFile(join(directory, 'plugin.json'), JSON.stringify({ name: 'bench-plugin', version: '1.0.0' }));
  const starter = `#!${process.execPath}\nrequire('node:module').enableCompileCache();\nimport('./program.mjs');\n`;
  await writeFile(join(directory, 'bench-plugin'), starter);
  await chmod(join(directory, 'bench-plugin'), 0o755);
  return directory;
}
