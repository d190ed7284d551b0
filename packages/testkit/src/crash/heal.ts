// What a fresh process does after the crash, and what must be true afterwards.
import type { Outcome } from '@errand/core';
import type { ProviderDefinition } from '@errand/contract';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { violations } from '../invariants/check.ts';
import { capturedOutput, observe } from '../invariants/world.ts';
import { openPlanProvider, optionsOf } from './plan.ts';
import type { OpenedProvider, Plan } from './plan.ts';
import { expectedOf, outDirectory, tallyFile } from './scenarios.ts';
import { secretValue, wire } from './wire.ts';
import type { Wired } from './wire.ts';

/** Recovers and cleans up as a person would, then gives every broken promise as a line. */
export async function healAndCheck(plan: Plan): Promise<string[]> {
  const home = join(plan.directory, 'home');
  using provider = await openPlanProvider(plan);
  await using wired = await wire({ home, definition: provider.definition, options: optionsOf(plan), recover: false });
  await heal(wired, plan);
  return await checkHealed(wired, provider, plan);
}

/** Every broken promise of a finished world, one line each. */
export async function checkHealed(wired: Wired, provider: OpenedProvider, plan: Plan): Promise<string[]> {
  const home = join(plan.directory, 'home');
  return [
    ...(provider.cloud ? violations(await observe(wired.store, wired.logs, provider.cloud)) : []),
    ...(await wrongRuns(wired, plan)),
    ...(await leftovers(wired, provider.definition, home)),
    ...livingJobs(plan),
    ...secretsAtRest(home),
  ];
}

async function heal({ runtime, store }: Wired, plan: Plan): Promise<void> {
  if (plan.scenario === 'cancel') {
    for (const run of await store.runs({ open: true })) await runtime.cancel(run.id);
  }
  await runtime.sweep();
  for (const lease of await runtime.leases()) await (await runtime.lease(lease.id)).release();
  await runtime.sweep();
}

async function wrongRuns({ store, logs }: Wired, plan: Plan): Promise<string[]> {
  const expected = expectedOf(plan.scenario);
  const problems: string[] = [];
  const runs = (await store.runs({})).toReversed();
  for (const [index, run] of runs.entries()) {
    const events = await store.events({ id: run.id });
    const closes = events.filter((event) => event.type === 'close').length;
    if (run.status !== 'closed' || closes !== 1) problems.push(`${run.id} is ${run.status} and was closed ${closes} times`);
    const outcome = run.outcome && brief(run.outcome);
    if (outcome !== expected.outcomes[index]) problems.push(`${run.id} says ${outcome} for ${expected.outcomes[index]}`);
    const { stdout, stderr } = await capturedOutput(logs, run);
    const whole = stdout === expected.stdout || (expected.cut && expected.stdout.startsWith(stdout));
    if (!whole) problems.push(`${run.id} printed ${JSON.stringify(stdout)}`);
    if (stderr !== '') problems.push(`${run.id} complained: ${stderr}`);
    if (run.problem !== undefined) problems.push(`${run.id} has a problem: ${run.problem}`);
    if (expected.collected && !existsSync(join(outDirectory(plan), 'made.txt'))) problems.push('the collected file is missing');
  }
  const starts = marks(plan).length;
  if (plan.provider !== 'fake' && starts > runs.length) problems.push(`${runs.length} runs started ${starts} jobs`);
  return problems;
}

function brief(outcome: Outcome): string {
  return outcome.kind === 'exited'
    ? `exited ${outcome.code}`
    : outcome.kind === 'errored'
      ? `errored ${outcome.message}`
      : outcome.kind;
}

async function leftovers({ runtime, store }: Wired, definition: ProviderDefinition, home: string): Promise<string[]> {
  const problems = (await runtime.leases()).map((lease) => `${lease.id} is still ${lease.status}: ${lease.problem ?? ''}`);
  const { signal } = new AbortController();
  await using provider = await definition.open({ home: join(home, definition.name), signal });
  const ask = { signal, log: () => {} };
  for await (const place of provider.host?.inventory(store.owner, ask) ?? []) problems.push(`the place ${place.key} is left`);
  for await (const job of provider.runner?.find(store.owner, ask) ?? []) {
    if (job.alive) problems.push(`the job ${job.key} is alive`);
  }
  return problems;
}

function marks(plan: Plan): string[] {
  const file = tallyFile(plan);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function livingJobs(plan: Plan): string[] {
  return marks(plan)
    .filter(isAlive)
    .map((pid) => `the process ${pid} of a job is alive`);
}

function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}

/** The secret's bytes are in no file below the data directory. */
function secretsAtRest(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(secretValue))
    .map((path) => `the secret's value is in ${path}`);
}
