// What the user of the SDK wants to do around the actions. Before one, a hook may refuse it; after one, it is too late for
// that, so what goes wrong in a hook then is told with the result and changes nothing.
import { ErrandError } from '@errand/contract';
import type { ActionFailure } from '@errand/contract';
import type { Action } from '../../model/infra/plan.ts';
import type { ApplyHooks, ApplyResult } from '../sdk.ts';
import type { ApplyContext } from './context.ts';
import type { StepEnd } from './step.ts';

export interface HookCalls {
  /** Once for each action, before its first step. */
  before(action: Action): Promise<void>;
  /** When the result lasts. */
  after(context: Pick<ApplyContext, 'live'>, action: Action, end: StepEnd): Promise<void>;
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
    async after({ live }, { resource }, end) {
      if (end.deleted) {
        const { type, provider } = end.deleted;
        await tell(resource, 'deleted hook', () => hooks.deleted?.({ resource, type, provider }));
      }
      const record = end.providerId === undefined ? undefined : live.get(resource);
      if (record) await tell(resource, 'applied hook', () => hooks.applied?.(record));
    },
    complete: async (result) => tell('', 'complete hook', () => hooks.complete?.(result)),
  };
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
