import { dirname, join, resolve } from 'node:path';
import type { Diagnostic, ProviderDefinition } from '@errand/contract';
import { defaultEnvironments } from './defaults.ts';
import { invalidConfig, orderDiagnostics } from './diagnose.ts';
import { findConfig, requireConfig } from './find.ts';
import { userHome } from './home.ts';
import { parseTree } from './parse.ts';
import { readConfig } from './read.ts';
import { substitute } from './substitute.ts';
import { isEmpty, type Tree } from './tree.ts';
import type { Config } from './types.ts';

export interface LoadOptions {
  /** A file that must exist; when absent, the nearest one from `cwd` upwards is used, if there is any. */
  readonly path?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly providers: ReadonlyMap<string, ProviderDefinition>;
}

/** Throws `config/invalid` with every problem of the file, or `config/unreadable`. */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const file = options.path === undefined ? findConfig(options.cwd) : requireConfig(options.path, options.cwd);
  if (file === undefined) return { environments: defaultEnvironments(options.providers), warnings: [] };
  return readText(await readConfig(file), file, options);
}

async function readText(text: string, file: string, options: LoadOptions): Promise<Config> {
  const parsed = await parseTree(text, file);
  const diagnostics: Diagnostic[] = [...parsed.diagnostics];
  const finish = (config: Omit<Config, 'file' | 'warnings'>): Config => {
    const ordered = orderDiagnostics(diagnostics);
    if (ordered.some((one) => one.severity === 'error')) throw invalidConfig(file, ordered);
    return { file, ...config, warnings: ordered };
  };
  if (!parsed.root) return finish({ environments: defaultEnvironments(options.providers) });

  const { rest, infra } = withoutInfra(parsed.root);
  const substituted = substitute(rest, file, options.env);
  diagnostics.push(...substituted.diagnostics);
  const [{ readEnvironments, readTop }, { readPlugins, withPlugins }] = await Promise.all([
    import('./document.ts'),
    import('./plugins.ts'),
  ]);
  const top = readTop(substituted.tree, file, diagnostics);
  const plugins = readPlugins(top.providers, file, options.providers, diagnostics);
  const environments = await readEnvironments(top.environments, file, withPlugins(options.providers, plugins), diagnostics);
  return finish({
    environments,
    ...(infra && { infra: { tree: infra, variables: options.env } }),
    ...(plugins.size === 0 ? {} : { plugins }),
    ...(top.store === undefined ? {} : { store: top.store }),
    ...(top.secretDirectory === undefined ? {} : { secretDirectory: expand(top.secretDirectory, file, options.env) }),
  });
}

/** Infrastructure has references of its own, and most commands have no use for it. */
function withoutInfra(root: Tree): { readonly rest: Tree; readonly infra?: Tree } {
  const infra = root.kind === 'map' ? root.entries.get('infra')?.value : undefined;
  if (root.kind !== 'map' || infra === undefined) return { rest: root };
  const rest = { ...root, entries: new Map([...root.entries].filter(([key]) => key !== 'infra')) };
  return isEmpty(infra) ? { rest } : { rest, infra };
}

function expand(directory: string, file: string, env: LoadOptions['env']): string {
  if (directory === '~' || directory.startsWith('~/')) return join(userHome(env), directory.slice(1));
  return resolve(dirname(file), directory);
}
