import { isErrandError } from '@errand/contract';
import type { Diagnostic } from '@errand/contract';
import { orderDiagnostics } from '../../config/diagnose.ts';
import type { Config } from '../../config/types.ts';
import type { Stack } from '../../model/infra/stack.ts';
import { plainStack } from './overlay.ts';
import { readStack, stackNames, type StackOptions } from './read-stack.ts';

/** A stack as it was read, or why it could not be. */
export interface CheckedStack {
  readonly name: string;
  readonly stack?: Stack;
  readonly diagnostics: readonly Diagnostic[];
}

/** Every stack of the file, or those that are named. No secret is looked for: here nobody needs the ones of production. */
export async function readStacks(
  config: Config,
  { providers }: Pick<StackOptions, 'providers'>,
  names: Iterable<string> = stackNames(config),
): Promise<readonly CheckedStack[]> {
  const checked: CheckedStack[] = [];
  for (const name of new Set(names)) {
    try {
      checked.push({ name, stack: await readStack(config, { providers, env: name }), diagnostics: [] });
    } catch (error) {
      if (!isErrandError(error) || error.diagnostics.length === 0) throw error;
      checked.push({ name, diagnostics: error.diagnostics });
    }
  }
  return checked;
}

/** Each problem once, in the order of the file; one that only an overlay has says which. */
export function problemsOf(checked: readonly CheckedStack[]): readonly Diagnostic[] {
  const known = new Map<string, Diagnostic>();
  for (const { name, diagnostics } of checked) {
    for (const one of diagnostics) {
      const key = JSON.stringify([one.file, one.line, one.column, one.message]);
      const told = name === plainStack ? one : { ...one, message: `${one.message} (with --env ${name})` };
      if (!known.has(key)) known.set(key, told);
    }
  }
  return orderDiagnostics([...known.values()]);
}
