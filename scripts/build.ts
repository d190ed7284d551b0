// Bundles the program and the SDK into packages/cli/dist. All files lie flat in one directory: the local provider finds
// its supervisor beside the chunk that it is in.
import { rename, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import type { InputOptions } from 'rolldown';
import { asciiOnly } from './ascii.ts';
import { builtinsFromProcess } from './builtins.ts';
import { withoutFacades } from './facades.ts';
import { writeTypes } from './types.ts';

const root = join(import.meta.dirname, '..');
const cli = join(root, 'packages/cli');

const common = {
  cwd: root,
  platform: 'node',
  // Dependencies of the published package, each loaded only by those who use it.
  external: (id: string) => isBuiltin(id) || /^((pg|ssh2)(-|$|\/)|@grpc\/grpc-js$)/.test(id),
  // No module of ours, zod or yaml does anything by being loaded; told so, the bundler leaves out what is not used.
  treeshake: { moduleSideEffects: false },
} satisfies InputOptions;

// Each file costs a moment at start-up, so what `errand run` needs lies in few: the commands, and the engine with what it
// loads at once. zod, yaml and the rarer commands stay apart, each loaded when it is used.
const usual =
  /cli\/src\/(commands\/(?!agent|init|config|schema|completion|provider)|render\/(?!infra)|context|exit-status|suggest|commands\.ts)/;
const groups = [
  { name: 'error', test: /contract\/src\/error\.ts$/, priority: 3 },
  {
    name: 'engine',
    test: /((contract|core|local)\/src\/|(docker|ssh|agent)\/src\/index\.ts$|cli\/src\/(providers|create-runtime)\.ts$)/,
    tags: ['$initial' as const],
    priority: 2,
  },
  // A chunk takes along whatever its modules import, so those of a run come first: the infrastructure has zod.
  {
    name: 'runtime',
    test: /core\/src\/(base|lease|logs|run|secrets|workspace|runtime(?!\/infra)|store(?!\/infra))\//,
    priority: 2,
  },
  {
    name: 'docker',
    test: /(docker\/src\/(?!drivers|config|infra-config|standing\/shim)|contract\/src\/tar)/,
    priority: 1,
  },
  {
    name: 'commands',
    test: usual,
    tags: ['$initial' as const],
    priority: 1,
  },
  // The usual commands that are not the run's.
  { name: 'more', test: usual, priority: 0 },
  { name: 'infra', test: /cli\/src\/(infra\/(?!commands|state-commands)|render\/infra)/, priority: 1 },
];

async function bundle(input: Record<string, string>, directory: string, chunks = groups): Promise<void> {
  await using build = await rolldown({ ...common, input, plugins: [builtinsFromProcess, asciiOnly, withoutFacades] });
  await build.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: chunks },
  });
}

// Built aside and moved in one step, so that a running `errand` sees either the old bundle or the new one.
const fresh = join(cli, `.dist-${process.pid}`);
const old = `${fresh}.old`;
try {
  await Promise.all([
    bundle({ errand: 'packages/cli/src/main.ts', index: 'packages/cli/src/index.ts' }, fresh),
    // For provider packages, apart from the engine: a plugin loads what serves it and no more.
    bundle(
      {
        provider: 'packages/cli/src/author/provider.ts',
        zod: 'packages/cli/src/author/zod.ts',
        conformance: 'packages/cli/src/author/conformance.ts',
      },
      fresh,
      [],
    ),
    // On its own, so that each job loads one small file.
    bundle({ supervisor: 'providers/local/src/supervisor.ts' }, fresh),
    writeTypes(join(fresh, 'types')),
  ]);
  await rename(join(cli, 'dist'), old).catch(() => undefined);
  await rename(fresh, join(cli, 'dist'));
} finally {
  await Promise.all([rm(fresh, { recursive: true, force: true }), rm(old, { recursive: true, force: true })]);
}
