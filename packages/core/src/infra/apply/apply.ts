// The straight path of an apply: lock → recover → check the plan → what the refresh saw → steps → outputs → finalizers.
import type { Plan } from '../../model/infra/plan.ts';
import type { ApplyOptions, ApplyResult } from '../sdk.ts';
import { sealOutputs } from '../state/sealed-record.ts';
import { finalize } from './finalize.ts';
import { callHooks } from './hooks.ts';
import { settleOutputs } from './outputs.ts';
import { runSteps } from './schedule.ts';
import { withStack } from './session.ts';
import type { InfraParts, Session } from './session.ts';
import { performStep, save } from './step.ts';

const defaultParallelism = 10;

/** `check` throws when the plan must not be carried out on this state. */
export async function applyPlan(
  parts: InfraParts,
  plan: Plan,
  check: (state: Session['state']) => void,
  options: ApplyOptions = {},
): Promise<ApplyResult> {
  const { stop, abort, owner, forceOwner, on } = options;
  const hooks = callHooks(options.hooks ?? {});
  const by = `${plan.purpose} ${plan.id}`;
  const { value, head } = await withStack(parts, { by, abort, owner, forceOwner, on }, async ({ context, state, lost }) => {
    check(state);
    const seen = plan.refreshed.map((record) => ({
      ...record,
      outputs: sealOutputs(parts.vault, record.outputs, record.sensitive),
    }));
    if (seen.length > 0)
      await save(
        context,
        seen.map((record) => ({ kind: 'put', record })),
      );

    const stopped = () => {
      if (context.writer.problem() !== undefined) return 'the state could not be written';
      if (lost.aborted) return 'the lock was taken away';
      return stop?.aborted || abort?.aborted ? 'the apply was stopped' : undefined;
    };
    const outcomes = await runSteps({
      clock: parts.ports.clock,
      actions: plan.actions,
      parallelism: options.parallelism ?? defaultParallelism,
      perform: async (action, step, turn) => {
        await hooks.before(action);
        const end = await performStep(context, action, step, turn);
        return options.hooks ? { ...end, lasting: end.lasting.then(() => hooks.after(context, action, end)) } : end;
      },
      started: (action, step) =>
        context.on({ kind: 'started', step: step.id, resource: action.resource, at: parts.ports.clock.now() }),
      ended: (outcome) => context.on({ kind: 'ended', outcome }),
      stopped,
    });
    if (lost.aborted) throw lost.reason;
    const stack = plan.purpose === 'destroy' ? { ...parts.stack, outputs: new Map() } : parts.stack;
    const unfinished = new Set(outcomes.filter((one) => one.status !== 'done').map((one) => one.resource));
    const outputs = settleOutputs(context, stack, state.outputs, (name) => unfinished.has(name));
    if (outputs.changes.length > 0) await save(context, outputs.changes);
    const interrupted = stopped() !== undefined;
    return { outcomes, interrupted, failures: interrupted ? [] : [...outputs.failures, ...(await finalize(context, plan))] };
  });
  const result = { plan: plan.id, serial: head.serial, outcomes: value.outcomes, interrupted: value.interrupted };
  if (!value.interrupted) await hooks.complete(result);
  return { ...result, failures: [...value.failures, ...hooks.failures] };
}
