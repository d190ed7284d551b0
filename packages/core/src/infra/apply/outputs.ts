// The stack's own outputs, once the steps are over: from what the resources are then.
import type { ActionFailure, Json } from '@errand/contract';
import type { State, StateOutput } from '../../model/infra/record.ts';
import type { Stack } from '../../model/infra/stack.ts';
import { isDeepStrictEqual } from 'node:util';
import { isSealed } from '../references/sealed.ts';
import { referencesIn, resolveConfig } from '../references/resolve.ts';
import type { StateChange } from '../../store/infra/port.ts';
import type { ApplyContext } from './context.ts';
import { referred } from './intent.ts';

export interface SettledOutputs {
  readonly changes: readonly StateChange[];
  readonly failures: readonly ActionFailure[];
}

/**
 * One that cannot be told now, because a resource failed or was left out, keeps the value it had. One that asks a resource
 * which is as it should be for something that it does not have is a failure.
 */
export function settleOutputs(
  context: Pick<ApplyContext, 'live' | 'vault'>,
  stack: Stack,
  before: State['outputs'],
  isUnfinished: (resource: string) => boolean,
): SettledOutputs {
  const changes: StateChange[] = [];
  const failures: ActionFailure[] = [];
  for (const name of before.keys()) if (!stack.outputs.has(name)) changes.push({ kind: 'drop-output', name });
  for (const { name, value, sensitive } of stack.outputs.values()) {
    const resolved = resolveConfig(value, (reference) => referred(context, reference));
    const [problem] = resolved.problems;
    if (problem && !referencesIn(value).some((one) => isUnfinished(one.name) || !context.live.has(one.name))) {
      const error = `${problem.message}${problem.hint === undefined ? '' : `; ${problem.hint}`}`;
      failures.push({ resource: `outputs.${name}`, action: 'resolving', error });
    }
    if (problem || resolved.unknown.length > 0) continue;
    const secret = sensitive || resolved.sensitive.length > 0;
    const sealed: Json = secret ? { ...context.vault.seal(resolved.config) } : resolved.config;
    const output: StateOutput = { value: sealed, sensitive: secret };
    if (!sameOutput(before.get(name), output)) changes.push({ kind: 'put-output', name, output });
  }
  return { changes, failures };
}

function sameOutput(before: StateOutput | undefined, after: StateOutput): boolean {
  if (!before || before.sensitive !== after.sensitive) return false;
  if (isSealed(before.value) && isSealed(after.value)) return before.value.$fingerprint === after.value.$fingerprint;
  return isDeepStrictEqual(before.value, after.value);
}
