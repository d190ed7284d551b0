// The stack's own outputs, once the steps are over: from what the resources are then.
import type { Json } from '@errand/contract';
import type { State, StateOutput } from '../../model/infra/record.ts';
import type { Stack } from '../../model/infra/stack.ts';
import { isDeepStrictEqual } from 'node:util';
import { isSealed } from '../references/sealed.ts';
import { resolveConfig } from '../references/resolve.ts';
import type { StateChange } from '../../store/infra/port.ts';
import type { ApplyContext } from './context.ts';
import { referred } from './intent.ts';

/** One that cannot be told now, because a resource failed or was left out, keeps the value it had. */
export function outputChanges(
  context: Pick<ApplyContext, 'live' | 'vault'>,
  stack: Stack,
  before: State['outputs'],
): readonly StateChange[] {
  const changes: StateChange[] = [];
  for (const name of before.keys()) if (!stack.outputs.has(name)) changes.push({ kind: 'drop-output', name });
  for (const { name, value, sensitive } of stack.outputs.values()) {
    const resolved = resolveConfig(value, (reference) => referred(context, reference));
    if (resolved.problems.length > 0 || resolved.unknown.length > 0) continue;
    const secret = sensitive || resolved.sensitive.length > 0;
    const sealed: Json = secret ? { ...context.vault.seal(resolved.config) } : resolved.config;
    const output: StateOutput = { value: sealed, sensitive: secret };
    if (!sameOutput(before.get(name), output)) changes.push({ kind: 'put-output', name, output });
  }
  return changes;
}

function sameOutput(before: StateOutput | undefined, after: StateOutput): boolean {
  if (!before || before.sensitive !== after.sensitive) return false;
  if (isSealed(before.value) && isSealed(after.value)) return before.value.$fingerprint === after.value.$fingerprint;
  return isDeepStrictEqual(before.value, after.value);
}
