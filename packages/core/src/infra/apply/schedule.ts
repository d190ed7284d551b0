// Walks a graph of steps: each when all before it have succeeded, several at once. A failed one takes down what comes
// after it and nothing else. Every step gets exactly one outcome.
import { isErrandError } from '@errand/contract';
import type { StepError, StepOutcome } from '../../model/infra/journal.ts';
import type { Action, Step } from '../../model/infra/plan.ts';
import type { Clock } from '../../ports.ts';
import type { StepEnd, Turn } from './step.ts';
import { createTurns } from './turns.ts';

export interface Schedule {
  readonly clock: Pick<Clock, 'now'>;
  readonly actions: readonly Action[];
  /** Provider calls at once. */
  readonly parallelism: number;
  readonly perform: (action: Action, step: Step, turn: Turn) => Promise<StepEnd>;
  readonly started: (action: Action, step: Step) => void;
  readonly ended: (outcome: StepOutcome) => void;
  /** Asked before every step; a text says why no more are begun. */
  readonly stopped: () => string | undefined;
}

/** For each call, so many intents are on disk: their commits are what a fast provider would wait for. */
const ahead = 8;

interface Node {
  readonly action: Action;
  readonly step: Step;
  readonly next: Node[];
  waitsFor: number;
  /** Why it is skipped. */
  because: string | undefined;
}

/** In the order in which they ended. */
export function runSteps(schedule: Schedule): Promise<readonly StepOutcome[]> {
  const { clock, perform, stopped } = schedule;
  const nodes = graph(schedule.actions);
  const ready = nodes.filter((node) => node.waitsFor === 0);
  const turns = createTurns(schedule.parallelism, () => stopped() !== undefined);
  const outcomes: StepOutcome[] = [];
  const { promise, resolve } = Promise.withResolvers<readonly StepOutcome[]>();
  let begun = 0;
  let unsettled = 0;
  let taken = 0;

  function end(outcome: StepOutcome): void {
    outcomes.push(outcome);
    schedule.ended(outcome);
  }

  function release(node: Node, because?: string): void {
    for (const next of node.next) {
      next.because ??= because;
      if (--next.waitsFor === 0) ready.push(next);
    }
  }

  async function run(node: Node): Promise<void> {
    const { action, step } = node;
    const about = { step: step.id, resource: action.resource };
    let turn: 'none' | 'taken' | 'refused' = 'none';
    let began = clock.now();
    const take = async () => {
      turn = (await turns.enter()) ? 'taken' : 'refused';
      if (turn === 'refused') return false;
      began = clock.now();
      schedule.started(action, step);
      return true;
    };
    const leave = () => {
      begun -= 1;
      if (turn === 'taken') turns.leave();
    };
    const fail = (error: unknown) => end({ ...about, status: 'failed', ms: clock.now() - began, error: errorOf(error) });
    let result: StepEnd;
    try {
      result = await perform(action, step, { take, isLate: () => turns.isLate() });
    } catch (error) {
      leave();
      fail(error);
      release(node, `${step.id} failed`);
      return pump();
    }
    leave();
    unsettled += 1;
    const because = (turn as string) === 'refused' ? (stopped() ?? 'the apply was stopped') : undefined;
    release(node, because);
    pump();
    try {
      await result.lasting;
      if (because !== undefined) end({ ...about, status: 'skipped', because });
      else {
        const { adopted, providerId } = result;
        const id = providerId === undefined ? {} : { providerId };
        end({ ...about, status: 'done', ms: clock.now() - began, ...(adopted && { adopted: true }), ...id });
      }
    } catch (error) {
      fail(error);
    }
    unsettled -= 1;
    pump();
  }

  function pump(): void {
    for (; taken < ready.length; taken++) {
      const node = ready[taken] as Node;
      const because = node.because ?? stopped();
      if (because !== undefined) {
        end({ step: node.step.id, resource: node.action.resource, status: 'skipped', because });
        release(node, because);
        continue;
      }
      if (begun >= schedule.parallelism * ahead) return;
      begun += 1;
      void run(node);
    }
    if (begun > 0 || unsettled > 0) return;
    // Only a plan that somebody has tampered with has steps that wait for each other.
    for (const { step, action, waitsFor } of nodes) {
      const circle = { step: step.id, resource: action.resource, status: 'skipped', because: 'it waits for itself' } as const;
      if (waitsFor > 0) end(circle);
    }
    resolve(outcomes);
  }

  pump();
  return promise;
}

function graph(actions: readonly Action[]): Node[] {
  const nodes = new Map<string, Node>();
  for (const action of actions) {
    for (const step of action.steps) nodes.set(step.id, { action, step, next: [], waitsFor: 0, because: undefined });
  }
  for (const node of nodes.values()) {
    for (const id of new Set(node.step.after)) {
      const before = nodes.get(id);
      if (!before) continue;
      before.next.push(node);
      node.waitsFor += 1;
    }
  }
  return [...nodes.values()];
}

export function errorOf(error: unknown): StepError {
  if (!isErrandError(error)) {
    return { code: 'infra/failed', message: error instanceof Error ? error.message : String(error) };
  }
  return { code: error.code, message: error.message, ...(error.next !== undefined && { next: error.next }) };
}
