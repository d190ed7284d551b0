// A provider of ours as a program that our host launches, bundled as a published one is: unbundled, starting it is most of
// what a suite takes.
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import type { Json, Provider } from '@errand/contract';
import { openPluginProvider } from '@errand/plugin';

const root = join(import.meta.dirname, '../../..');

export interface Launched extends AsyncDisposable {
  readonly open: (home: string) => Promise<Provider>;
}

export interface LaunchedOptions {
  /** What the plugin has beside the few variables that every plugin inherits. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly secret?: (reference: string) => Promise<string>;
  /** For its resources. */
  readonly config?: (home: string) => Json;
}

export async function launched(name: string, { env = {}, secret, config }: LaunchedOptions = {}): Promise<Launched> {
  const parent = await mkdtemp(join(tmpdir(), 'errand-launched-'));
  const directory = join(parent, name);
  mkdirSync(directory);
  await bundle(name, directory);
  // What is not bundled is found as it is from the sources.
  await symlink(join(root, 'node_modules'), join(parent, 'node_modules'));
  await writeFile(join(directory, 'plugin.json'), JSON.stringify({ name, version: '1.0.0' }));
  const lines = [
    `#!${process.execPath}`,
    "import { enableCompileCache } from 'node:module';",
    "enableCompileCache(import.meta.dirname + '/cache');",
    "await import('./bin.js');",
    '',
  ];
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  await writeFile(join(directory, name), lines.join('\n'), { mode: 0o755 });
  const given = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return {
    open: (home) =>
      openPluginProvider({
        name,
        directory,
        home,
        lockFile: undefined,
        env: Object.fromEntries(given),
        log: () => undefined,
        ...(secret && { secret }),
        ...(config && { config: config(home) }),
      }),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function bundle(name: string, directory: string): Promise<void> {
  const source = join(root, 'providers', name, 'src');
  // The local provider looks for its supervisor beside the chunk that it is in.
  const inputs = name === 'local' ? ['bin', 'supervisor'] : ['bin'];
  for (const input of inputs) {
    await using build = await rolldown({
      cwd: root,
      platform: 'node',
      input: { [input]: join(source, `${input}.ts`) },
      external: (id) => isBuiltin(id) || /^ssh2($|\/)/.test(id),
      treeshake: { moduleSideEffects: false },
      logLevel: 'silent',
    });
    await build.write({
      dir: directory,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: `${input}-[name]-[hash].js`,
    });
  }
}
