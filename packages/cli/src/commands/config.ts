import { isErrandError } from '@errand/contract';
import type { Diagnostic } from '@errand/contract';
import { loadConfig, locateConfig } from '@errand/core';
import { relative } from 'node:path';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { providersByName } from '../providers.ts';
import { diagnosticLines } from '../render/diagnostic.ts';
import { plural } from '../render/text.ts';

/** Reads the file and nothing else: neither the data directory nor any environment is touched. */
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
  return errors > 0 ? FAILED : 0;
};

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
