import type { ApplyEvent, Plan } from '@errand/core';
import type { Context } from '../context.ts';
import { eventDocument } from '../render/infra/document.ts';
import { createLive } from '../render/infra/live.ts';
import { endedLine, seconds, startedLine, stepWords } from '../render/infra/step.ts';
import { plural, visible } from '../render/text.ts';

export interface Progress {
  readonly on: (event: ApplyEvent) => void;
  /** Talk in between that must not tear what is drawn. */
  readonly tell: (line: string) => void;
  /** Resolves when all that was said is written. */
  close(): Promise<void>;
}

const SHOWN = 10;
const TICK = 250;

/** Lines for a script or a CI log, a region that moves for a terminal, documents with `--json`. */
export function watchProgress(context: Context, plan: Plan): Progress {
  if (context.json) return writing(context, (event) => [JSON.stringify(eventDocument(event))]);
  if (context.quiet) return { on: () => {}, tell: () => {}, close: () => Promise.resolve() };
  const { TERM, CI } = context.env;
  if (context.out.isTTY && TERM !== 'dumb' && !CI) return liveProgress(context, plan);
  return writing(context, plainLines(context, plan));
}

function writing(context: Context, linesOf: (event: ApplyEvent) => readonly string[]): Progress {
  let last: Promise<unknown> = Promise.resolve();
  return {
    on(event) {
      for (const line of linesOf(event)) last = context.out.write(`${line}\n`);
    },
    tell(line) {
      last = context.say(line);
    },
    close: async () => void (await last),
  };
}

function plainLines(context: Context, plan: Plan): (event: ApplyEvent) => readonly string[] {
  const words = stepWords(plan);
  return (event) => {
    if (event.kind === 'started') return [startedLine(event.resource, words(event.step))];
    if (event.kind === 'ended') return [endedLine(event.outcome, words(event.outcome.step), context.style)];
    return [saidLine(event)];
  };
}

function saidLine(event: Extract<ApplyEvent, { readonly kind: 'talk' | 'recovered' }>): string {
  const text = event.kind === 'talk' ? event.line : `recovered: ${event.what}`;
  return `${visible(event.resource)}: ${visible(text)}`;
}

/** What ended stays above; what is in flight is below, with its seconds, the longest first. */
function liveProgress(context: Context, plan: Plan): Progress {
  const words = stepWords(plan);
  const live = createLive(context.out);
  const flying = new Map<string, { readonly line: string; readonly since: number; readonly said: string }>();
  const steps = plan.actions.reduce((sum, action) => sum + action.steps.length, 0);
  let over = 0;
  const draw = (): void => {
    const lines = [...flying.values()].map(({ line, since, said }) => `  ${line} ${seconds(context.now() - since)}${said}`);
    const more = lines.length > SHOWN ? [`  … and ${lines.length - SHOWN} more`] : [];
    live.show([...lines.slice(0, SHOWN), ...more, `${over} of ${plural(steps, 'step')} done`]);
  };
  const timer = setInterval(draw, TICK);
  draw();
  return {
    on(event) {
      if (event.kind === 'started')
        flying.set(event.step, { line: startedLine(event.resource, words(event.step)), since: context.now(), said: '' });
      else if (event.kind === 'talk') {
        const one = flying.get(event.step);
        if (one) flying.set(event.step, { ...one, said: `  ${visible(event.line)}` });
      } else if (event.kind === 'ended') {
        over += 1;
        flying.delete(event.outcome.step);
        live.print(endedLine(event.outcome, words(event.outcome.step), context.style));
      } else live.print(saidLine(event));
    },
    tell: (line) => live.print(`errand: ${line}`),
    async close() {
      clearInterval(timer);
      await live.close();
    },
  };
}
