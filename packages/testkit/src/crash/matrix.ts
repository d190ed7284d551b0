// Kills a real process before and after every step of a scenario, and checks what the next one makes of it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { healAndCheck } from './heal.ts';
import type { Plan } from './plan.ts';
import { startChild } from './process.ts';
import { prepare } from './scenarios.ts';

export interface MatrixOptions extends Pick<Plan, 'scenario' | 'provider'> {
  /** How many processes at once. */
  readonly wide: number;
  /** Which steps to die at; all of them when absent. */
  readonly at?: (step: string) => boolean;
}

export interface MatrixResult {
  readonly steps: readonly string[];
  /** How many deaths were planned. */
  readonly points: number;
  /** How many were met: two activities may come in another order than at the counting. */
  readonly crashes: number;
  readonly violations: readonly string[];
}

export async function crashMatrix(options: MatrixOptions): Promise<MatrixResult> {
  const { steps, violations: first } = await countSteps(options);
  const points = steps
    .map((name, index) => ({ name, step: index + 1 }))
    .filter(({ name }) => options.at?.(name) ?? true)
    .flatMap(({ name, step }) => (['before', 'after'] as const).map((phase) => ({ name, die: { step, phase } })));
  const violations = first.map((line) => `without a crash: ${line}`);
  let crashes = 0;
  const queue = points.values();
  async function work(): Promise<void> {
    for (const { name, die } of queue) {
      const result = await experiment(options, die);
      if (result.died) crashes += 1;
      violations.push(
        ...result.violations.map((line) => `${options.scenario}: killed ${die.phase} step ${die.step} (${name}): ${line}`),
      );
    }
  }
  await Promise.all(Array.from({ length: options.wide }, work));
  return { steps, points: points.length, crashes, violations };
}

async function countSteps(options: MatrixOptions): Promise<{ steps: readonly string[]; violations: readonly string[] }> {
  const result = await experiment(options, undefined);
  if (result.output === '') return { steps: [], violations: ['the scenario did not get through', ...result.violations] };
  return { steps: JSON.parse(result.output) as string[], violations: result.violations };
}

async function experiment(options: MatrixOptions, die: Plan['die']) {
  const directory = await mkdtemp(join(tmpdir(), 'errand-crash-'));
  try {
    const plan: Plan = { directory, scenario: options.scenario, provider: options.provider, ...(die && { die }) };
    await prepare(plan);
    const child = await startChild(plan).end;
    // It may get through without passing the step, when two of its activities came in another order than at the counting.
    const died = child.signal === 'SIGKILL';
    const violations = died || child.code === 0 ? [] : [`the process failed by itself: ${child.errors}`];
    return { output: child.output, died, violations: [...violations, ...(await healAndCheck(plan))] };
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
