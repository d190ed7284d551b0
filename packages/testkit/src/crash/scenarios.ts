// The stories that are cut short. Every job prints numbered lines and leaves a mark when it starts, so that a lost or
// doubled line and a second start are seen.
import type { RunRequest, Runtime } from '@errand/core';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan, ScenarioName } from './plan.ts';

const lines = 20;
const manyLines = 150;

/** Where real jobs leave their marks, one line with the process id per start. */
export const tallyFile = (plan: Plan) => join(plan.directory, 'tally');
export const outDirectory = (plan: Plan) => join(plan.directory, 'out');
export const workspaceDirectory = (plan: Plan) => join(plan.directory, 'workspace');

export async function prepare(plan: Plan): Promise<void> {
  await mkdir(workspaceDirectory(plan), { recursive: true });
  await writeFile(join(workspaceDirectory(plan), 'input.txt'), 'from the workspace\n');
  await writeFile(join(workspaceDirectory(plan), 'both.txt'), 'as it went in');
}

/** The same job in the fake's words and for a shell. */
function job(plan: Plan, words: readonly string[], script: string): Pick<RunRequest, 'command' | 'script'> {
  if (plan.provider === 'fake') return { command: words };
  return { script: `echo $$ >> '${tallyFile(plan)}'\n${script}` };
}

const count = (until: number, pause: string) => `i=0; while [ $i -lt ${until} ]; do i=$((i+1)); echo $i; ${pause} done`;
const numbers = count(lines, '');

const quick = (plan: Plan, code: number) => job(plan, ['emit', String(lines), 'exit', String(code)], `${numbers}; exit ${code}`);
const endless = (plan: Plan) => job(plan, ['emit', String(lines), 'forever'], `${numbers}; exec sleep 60`);

const plays: Readonly<Record<ScenarioName, (runtime: Runtime, plan: Plan) => Promise<void>>> = {
  async run(runtime, plan) {
    const words = [
      'emit',
      String(lines),
      'cat',
      'input.txt',
      'show',
      'TOKEN',
      'write',
      'made.txt',
      'made',
      'sleep',
      '60',
      'exit',
      '7',
    ];
    const script = `${numbers}; cat input.txt; echo "$TOKEN"; printf made > made.txt; sleep 0.06; exit 7`;
    const running = await runtime.run({
      environment: 'here',
      ...job(plan, words, script),
      workspace: workspaceDirectory(plan),
      collect: ['made.txt'],
      out: outDirectory(plan),
      secrets: { TOKEN: 'secret://env/TOKEN' },
      idempotencyKey: 'once',
    });
    await running.exit;
  },
  async lease(runtime, plan) {
    const lease = await runtime.acquire('here');
    await (
      await lease.run(quick(plan, 0))
    ).exit;
    await (
      await lease.run(quick(plan, 5))
    ).exit;
    await lease.release();
  },
  async cancel(runtime, plan) {
    const running = await runtime.run({ environment: 'here', ...endless(plan) });
    // The first line proves that there is something to cancel.
    for await (const _entry of running.logs()) break;
    await running.cancel();
  },
  async timeout(runtime, plan) {
    await (
      await runtime.run({ environment: 'here', timeout: 250, ...endless(plan) })
    ).exit;
  },
  async sync(runtime, plan) {
    const words = [
      'emit',
      String(lines),
      'sleep',
      '60',
      'write',
      'input.txt',
      'job',
      'write',
      'both.txt',
      'job',
      'write',
      'new.txt',
      'job',
    ];
    const script = `${numbers}; sleep 0.06; for i in input both new; do printf job > $i.txt; done`;
    const wanted = { workspace: workspaceDirectory(plan), syncBack: true };
    const running = await runtime.run({ environment: 'here', ...job(plan, words, script), ...wanted });
    // The files have gone in; from now on the person works on.
    for await (const _entry of running.logs()) break;
    await writeFile(join(plan.directory, 'draft'), 'person');
    await rename(join(plan.directory, 'draft'), join(workspaceDirectory(plan), 'both.txt'));
    await running.exit;
  },
  async reuse(runtime, plan) {
    for (const code of [0, 5]) {
      await (
        await runtime.run({ environment: 'again', ...quick(plan, code) })
      ).exit;
    }
  },
  async warm(runtime, plan) {
    await runtime.warm('ready');
    await (
      await runtime.run({ environment: 'ready', ...quick(plan, 0) })
    ).exit;
  },
  async long(runtime, plan) {
    const words = ['every', '20', 'emit', String(manyLines), 'exit', '3'];
    await (
      await runtime.run({ environment: 'here', ...job(plan, words, `${count(manyLines, 'sleep 0.02;')}; exit 3`) })
    ).exit;
  },
};

export function play(runtime: Runtime, plan: Plan): Promise<void> {
  return plays[plan.scenario](runtime, plan);
}

const linesUntil = (last: number) => Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');
const numbered = linesUntil(lines);

/** What every recorded run of a scenario must have come to, whoever finished it. */
export interface Expected {
  readonly outcomes: readonly string[];
  readonly stdout: string;
  /** Ended from outside, so it may not have come to its last line. */
  readonly cut: boolean;
  readonly collected: boolean;
}

export function expectedOf(scenario: ScenarioName): Expected {
  switch (scenario) {
    case 'run':
      return { outcomes: ['exited 7'], stdout: `${numbered}from the workspace\n[redacted]\n`, cut: false, collected: true };
    case 'warm':
      return { outcomes: ['exited 0'], stdout: numbered, cut: false, collected: false };
    case 'lease':
    case 'reuse':
      return { outcomes: ['exited 0', 'exited 5'], stdout: numbered, cut: false, collected: false };
    case 'cancel':
      return { outcomes: ['cancelled'], stdout: numbered, cut: true, collected: false };
    case 'timeout':
      return { outcomes: ['timed-out'], stdout: numbered, cut: true, collected: false };
    case 'sync':
      return { outcomes: ['exited 0'], stdout: numbered, cut: false, collected: false };
    case 'long':
      return { outcomes: ['exited 3'], stdout: linesUntil(manyLines), cut: false, collected: false };
  }
}
