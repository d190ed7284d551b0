import { isErrandError } from '@errand/contract';
import type { Diagnostic, Infra } from '@errand/contract';
import { orderDiagnostics } from '../../config/diagnose.ts';
import type { Stack } from '../../model/infra/stack.ts';
import { checkResources, problem } from '../plan/check.ts';
import type { OpenedInfra } from '../plan/types.ts';

/** Types and keys of a stack that was read, as its providers know them. They are opened; no platform is asked. */
export async function validateStack(stack: Stack, infraOf: (provider: string) => Promise<Infra>): Promise<readonly Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  const opened = new Map<string, OpenedInfra>();
  const opening = [...stack.providers.values()].map(async ({ name, origin }) => {
    try {
      opened.set(name, { infra: await infraOf(name), version: '' });
    } catch (error) {
      if (!isErrandError(error)) throw error;
      if (error.diagnostics.length > 0) diagnostics.push(...error.diagnostics);
      else diagnostics.push(problem(origin, `infra.providers.${name}: ${error.message}`, error.next));
    }
  });
  await Promise.all(opening);
  diagnostics.push(...(await checkResources({ opened }, stack.resources.values())));
  return orderDiagnostics(diagnostics);
}
