import type { Plan, Step, StepOutcome } from '@errand/core';
import type { Style } from '../style.ts';
import { visible } from '../text.ts';
import { duration } from '../time.ts';

const verbs = {
  create: ['creating', 'created'],
  update: ['updating', 'updated'],
  delete: ['deleting', 'deleted'],
  replace: ['replacing', 'replaced'],
  forget: ['forgetting', 'forgotten'],
  read: ['reading', 'read'],
} as const satisfies Record<Step['do'], readonly [string, string]>;

/** How to speak of a step while it runs and once it is over. */
export interface Words {
  readonly doing: string;
  readonly done: string;
}

/** By step id; looked up for every event, so made once. */
export function stepWords(plan: Plan): (step: string) => Words {
  const words = new Map<string, Words>();
  for (const { steps } of plan.actions) {
    for (const { id, do: what, deposed } of steps) {
      const [doing, done] = verbs[what];
      const old = deposed === undefined ? '' : 'the old one ';
      words.set(id, { doing: deposed === undefined ? doing : `${doing} the old one`, done: `${old}${done}` });
    }
  }
  return (step) => words.get(step) ?? { doing: visible(step), done: `${visible(step)} done` };
}

export function startedLine(resource: string, { doing }: Words): string {
  return `${visible(resource)}: ${doing}…`;
}

export function endedLine(outcome: StepOutcome, { doing, done }: Words, style: Style): string {
  const name = visible(outcome.resource);
  if (outcome.status === 'skipped') return style.yellow(`${name}: skipped, because ${visible(outcome.because)}`);
  if (outcome.status === 'failed')
    return style.red(`${name}: ${doing} failed after ${seconds(outcome.ms)}: ${visible(outcome.error.message)}`);
  const id = outcome.providerId === undefined ? '' : style.dim(` [${visible(outcome.providerId)}]`);
  const how = outcome.adopted === true ? 'adopted' : done;
  return `${name}: ${style.green(how)} in ${seconds(outcome.ms)}${id}`;
}

export function seconds(ms: number): string {
  return ms < 60_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : duration(ms);
}
