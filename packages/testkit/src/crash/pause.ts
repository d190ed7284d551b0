// A watcher that is stopped past its claim and goes on later: what it does then must not count.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkHealed } from './heal.ts';
import { openPlanProvider, optionsOf } from './plan.ts';
import type { Plan } from './plan.ts';
import { startChild } from './process.ts';
import type { Child } from './process.ts';
import { prepare } from './scenarios.ts';
import { wire } from './wire.ts';
import type { Wired } from './wire.ts';

export interface PauseResult {
  readonly violations: readonly string[];
  /** The run's epoch in the end: more than one watcher had it. */
  readonly epoch: number;
}

const claimFor = 1500;

export async function pauseWatcher(provider: Plan['provider']): Promise<PauseResult> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-pause-'));
  const plan: Plan = { directory, scenario: 'long', provider, claimFor };
  await prepare(plan);
  const child = startChild(plan);
  try {
    using opened = await openPlanProvider(plan);
    await using wired = await wire({
      home: join(directory, 'home'),
      definition: opened.definition,
      options: optionsOf(plan),
      recover: false,
      claimFor,
    });
    const id = await runWithOutput(wired);
    await stopBetweenWrites(child, [join(directory, 'home', 'errand.db'), join(directory, 'cloud.db')]);
    const taken = await wired.runtime.attach(id);
    await taken.exit;
    child.kill('SIGCONT');
    const end = await child.end;
    const own = end.code === 0 ? [] : [`the stopped watcher ended badly: ${end.code ?? end.signal} ${end.errors}`];
    const run = await wired.store.run(id);
    return { violations: [...own, ...(await checkHealed(wired, opened, plan))], epoch: run?.epoch ?? 0 };
  } finally {
    child.kill('SIGKILL');
    await child.end;
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A process that is stopped inside a transaction holds the lock of the whole file; that is SQLite's affair, not ours. */
async function stopBetweenWrites(child: Child, files: readonly string[]): Promise<void> {
  for (;;) {
    child.kill('SIGSTOP');
    await sleep(50);
    if (files.every((file) => !existsSync(file) || isWritable(file))) return;
    child.kill('SIGCONT');
    await sleep(20);
  }
}

function isWritable(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 100 });
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

/** The id of the child's run, once some of its output is kept. */
async function runWithOutput({ runtime, store }: Wired): Promise<string> {
  for (;;) {
    const [run] = await store.runs({ statuses: ['running'] });
    if (run) {
      for await (const _entry of runtime.logs(run.id)) return run.id;
    }
    await sleep(20);
  }
}
