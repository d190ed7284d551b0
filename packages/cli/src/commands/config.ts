import { isErrandError } from '@errand/contract';
import type { Diagnostic } from '@errand/contract';
import { dataDirectory, loadConfig, locateConfig } from '@errand/core';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
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
  const path = await locateConfig(context.config, context.cwd);
  const { environments, diagnostics } = await check(path, context);
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  if (context.json) {
    await printJson(context, { file: path, environments, diagnostics });
    return errors > 0 ? FAILED : 0;
  }
  for (const line of diagnostics.flatMap(diagnosticLines)) await printLine(context, line);
  const name = path === undefined ? 'no errand.yaml here or above' : relative(context.cwd, path) || path;
  const found = `${name}: ${errors > 0 ? '' : `${plural(environments.length, 'environment')}, `}`;
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
  const home = context.home === undefined ? await dataDirectory(found) : resolve(context.cwd, context.home);
  if (!existsSync(join(home, 'errand.db'))) return;
  try {
    await using runtime = await context.open({ recover: false });
    const leases = await runtime.leases();
    await sayOutdated(context, leases, await runtime.outdated(leases));
  } catch {
    // Whoever uses the store is told what is wrong with it.
  }
}

async function check(
  path: string | undefined,
  { cwd, env }: Context,
): Promise<{ environments: string[]; diagnostics: readonly Diagnostic[] }> {
  try {
    const config = await loadConfig({
      cwd,
      env,
      providers: providersByName,
      ...(path === undefined ? {} : { path }),
    });
    return { environments: [...config.environments.keys()], diagnostics: config.warnings };
  } catch (error) {
    if (!isErrandError(error, 'config/invalid') || error.diagnostics.length === 0) throw error;
    return { environments: [], diagnostics: error.diagnostics };
  }
}
