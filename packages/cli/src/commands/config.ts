import { isErrandError } from '@errand/contract';
import type { Diagnostic } from '@errand/contract';
import { dataDirectory, loadConfig, locateConfig, lockName, pluginProvider, problemsOf, readStacks } from '@errand/core';
import type { Config } from '@errand/core';
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { providersByName } from '../providers.ts';
import { diagnosticLines } from '../render/diagnostic.ts';
import { plural } from '../render/text.ts';
import { sayOutdated } from './outdated.ts';

/** Reads the file, and says what stands on older environments where there is a data directory; makes nothing and asks no provider. */
export const configCheckCommand: Action = async (context) => {
  const path = locateConfig(context.config, context.cwd);
  const { environments, stacks, diagnostics } = await check(path, context);
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  if (context.json) {
    await printJson(context, { file: path, environments, ...(stacks && { stacks }), diagnostics });
    return errors > 0 ? FAILED : 0;
  }
  for (const line of diagnostics.flatMap(diagnosticLines)) await printLine(context, line);
  const name = path === undefined ? 'no errand.yaml here or above' : relative(context.cwd, path) || path;
  const counts = [plural(environments.length, 'environment'), ...(stacks ? [plural(stacks.length, 'stack')] : [])];
  const found = `${name}: ${errors > 0 ? '' : `${counts.join(', ')}, `}`;
  const warnings = diagnostics.length - errors;
  const problems = [errors > 0 && plural(errors, 'error'), warnings > 0 && plural(warnings, 'warning')].filter(
    (part) => part !== false,
  );
  await printLine(context, `${found}${problems.join(', ') || 'no problems'}`);
  if (errors === 0) await sayStanding(context, path);
  return errors > 0 ? FAILED : 0;
};

/** A check of the config does not fail for the state of the data directory, and does not make one. */
async function sayStanding(context: Context, file: string | undefined): Promise<void> {
  const found = { env: context.env, cwd: context.cwd, ...(file === undefined ? {} : { file }) };
  const home = context.home === undefined ? dataDirectory(found) : resolve(context.cwd, context.home);
  if (!existsSync(join(home, 'errand.db'))) return;
  try {
    await using runtime = await context.open({ recover: false });
    const leases = await runtime.leases();
    await sayOutdated(context, leases, await runtime.outdated(leases));
  } catch {
    // Whoever uses the store is told what is wrong with it.
  }
}

interface Checked {
  readonly environments: readonly string[];
  /** Of the infra section; absent when there is none. */
  readonly stacks?: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

async function check(path: string | undefined, { cwd, env }: Context): Promise<Checked> {
  try {
    const config = await loadConfig({ cwd, env, providers: providersByName, ...(path === undefined ? {} : { path }) });
    const environments = [...config.environments.keys()];
    if (!config.infra) return { environments, diagnostics: config.warnings };
    const stacks = await readStacks(config, { providers: definitionsIn(config, cwd) });
    return {
      environments,
      stacks: stacks.map(({ name }) => name),
      diagnostics: [...config.warnings, ...problemsOf(stacks)],
    };
  } catch (error) {
    if (!isErrandError(error) || error.diagnostics.length === 0) throw error;
    return { environments: [], diagnostics: error.diagnostics };
  }
}

/** Plugins are only named here, never launched. */
function definitionsIn(config: Config, cwd: string) {
  const directory = config.file === undefined ? cwd : dirname(config.file);
  const site = { directory, lockFile: join(directory, lockName), log: () => {} };
  const plugins = [...(config.plugins?.values() ?? [])];
  return new Map([...providersByName, ...plugins.map((entry) => [entry.name, pluginProvider(entry, site)] as const)]);
}
