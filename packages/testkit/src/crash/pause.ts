// A watcher that is stopped past its claim and goes on later: what it does then must not count.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkHealed } from './heal.ts';
import { openPlanProvider } from './plan.ts';
import type { Plan } from './plan.ts';
import { startChild } from './process.ts';
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
    await using wired = await wire({ home: join(directory, 'home'), definition: opened.definition, recover: false, claimFor });
    const id = await runWithOutput(wired);
    child.kill('SIGSTOP');
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
