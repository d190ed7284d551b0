// What the user of the SDK wants to do around the actions. Before one, a hook may refuse it; after one, it is too late for
// that, so what goes wrong in a hook then is told with the result and changes nothing.
import { ErrandError } from '@errand/contract';
import type { ActionFailure } from '@errand/contract';
import type { Action, Step } from '../../model/infra/plan.ts';
import type { ApplyHooks, ApplyResult } from '../sdk.ts';
import type { ApplyContext } from './context.ts';
import type { StepEnd } from './step.ts';

export interface HookCalls {
  /** Once for each action, before its first step. */
  before(action: Action): Promise<void>;
  /** When the result lasts. */
  after(context: Pick<ApplyContext, 'live'>, action: Action, step: Step, end: StepEnd): Promise<void>;
  complete(result: Omit<ApplyResult, 'failures'>): Promise<void>;
  readonly failures: readonly ActionFailure[];
}

export function callHooks(hooks: ApplyHooks): HookCalls {
  const asked = new Map<Action, Promise<void>>();
  const failures: ActionFailure[] = [];
  const tell = async (resource: string, action: string, hook: () => void | Promise<void>) => {
    try {
      await hook();
    } catch (error) {
      failures.push({ resource, action, error: textOf(error) });
    }
  };
  return {
    failures,
    async before(action) {
      if (!hooks.beforeAction) return;
      const answer = asked.get(action) ?? Promise.resolve().then(() => hooks.beforeAction?.(action));
      asked.set(action, answer);
      await answer.catch((error: unknown) => {
        throw new ErrandError('infra/failed', `a hook refused to ${action.kind} ${action.resource}: ${textOf(error)}`, {
          cause: error,
        });
      });
    },
    async after({ live }, action, step, end) {
      const record = live.get(action.resource);
      if (step.do === 'delete' || step.do === 'forget') {
        const { resource, type, provider } = action;
        if (step.do === 'delete') await tell(resource, 'deleted hook', () => hooks.deleted?.({ resource, type, provider }));
      } else if (record && end.providerId !== undefined) {
        await tell(action.resource, 'applied hook', () => hooks.applied?.(record));
      }
    },
    complete: async (result) => tell('', 'complete hook', () => hooks.complete?.(result)),
  };
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
