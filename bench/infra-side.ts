// Errand with resources that cost nothing, in the process of the engine or in a plugin's.
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { lockPlugin, readPluginDirectory } from '@errand/plugin';
import { textOf, time } from './command.ts';
import type { Command } from './command.ts';
import type { Setup } from './result.ts';

const root = join(import.meta.dirname, '..');

/** `plugin`: the directory of the program that serves the resources. */
export async function ourSide(program: string, directory: string, count: number, plugin?: string) {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const resource = (index: number) => `    r${index}: { type: trivial.thing, provider: it, config: { input: "v1-${index}" } }\n`;
  const use = plugin === undefined ? 'trivial' : 'apart';
  const head =
    (plugin === undefined ? '' : `providers:\n  apart: { plugin: "${plugin}" }\n`) +
    `infra:\n  providers: { it: { use: ${use}, file: "${join(directory, 'things.json')}" } }\n  resources:\n`;
  await writeFile(join(directory, 'errand.yaml'), head + Array.from({ length: count }, (_, index) => resource(index)).join(''));
  if (plugin !== undefined) await lockPlugin(await readPluginDirectory(plugin), join(directory, 'errand.lock'));
  const command = (what: string): Command => ({ argv: [process.execPath, program, what, directory], cwd: directory });
  return {
    plan: () => time(command('plan')),
    apply: () => time(command('apply')),
    memory: async () => Number((await textOf(command('plan'))).split(' ')[1]),
  };
}

export async function buildProgram(setup: Setup): Promise<string> {
  const directory = join(setup.directory, 'infra-program');
  await bundle('bench/programs/infra.ts', directory);
  const start = join(directory, 'start.mjs');
  await writeFile(
    start,
    "import { enableCompileCache } from 'node:module';\nenableCompileCache();\nawait import('./program.mjs');\n",
  );
  return start;
}

/** The same resources as a program, bundled as a published one is. Gives its directory. */
export async function buildPlugin(setup: Setup): Promise<string> {
  const directory = join(setup.directory, 'apart');
  await bundle('bench/programs/trivial-plugin.ts', directory);
  await writeFile(join(directory, 'plugin.json'), JSON.stringify({ name: 'apart', version: '1.0.0' }));
  const starter = `#!${process.execPath}\nrequire('node:module').enableCompileCache();\nimport('./program.mjs');\n`;
  await writeFile(join(directory, 'apart'), starter);
  await chmod(join(directory, 'apart'), 0o755);
  return directory;
}

async function bundle(input: string, directory: string): Promise<void> {
  await using bundled = await rolldown({
    cwd: root,
    platform: 'node',
    input: { program: input },
    external: (id) => isBuiltin(id) || id === 'pg',
    treeshake: { moduleSideEffects: false },
  });
  await bundled.write({ dir: directory, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
}
