import { ErrandError } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Run, RunSpec } from '../model/run.ts';
import { admit } from '../providers/admit.ts';
import { checkWorkspace } from '../workspace/check.ts';
import type { NewRun } from '../store/port.ts';
import { digestSpec } from './digest.ts';
import { openWithLease } from './record-lease.ts';

export interface Opening {
  readonly key?: string;
  /** This process watches it from the first moment; otherwise it waits for a watcher. */
  readonly claim: boolean;
}

/** Refuses what cannot work, then records the run. Nothing outside has been touched when it throws. */
export async function openRun(
  engine: Engine,
  spec: RunSpec,
  opening: Opening,
): Promise<{ readonly run: Run; readonly created: boolean }> {
  const { ports, store } = engine;
  const digest = digestSpec(spec);
  const known = opening.key === undefined ? undefined : await store.runByKey(opening.key);
  if (known) return { run: sameRequest(known, digest), created: false };
  await refuseEarly(engine, spec);
  const now = ports.clock.now();
  const fresh: NewRun = {
    id: `run-${ports.random.id()}`,
    digest,
    spec,
    now,
    ...(opening.key !== undefined && { key: opening.key }),
    ...(opening.claim && { holder: ports.identity.self, heldUntil: now + engine.settings.claimFor }),
  };
  const plain = opening.claim && spec.lease === undefined && spec.setup === undefined;
  const { run, created } = await (plain ? openWithLease(engine, fresh) : store.openRun(fresh));
  return { run: sameRequest(run, digest), created };
}

async function refuseEarly(engine: Engine, spec: RunSpec): Promise<void> {
  const provider = await engine.providers.open(spec.provider, spec.options);
  const demand = {
    ...spec,
    workspaceIn: spec.workspace !== undefined,
    workspaceOut: spec.collect.length > 0 || spec.syncBack === true,
    standing: spec.setup !== undefined,
  };
  await admit(provider, demand, new AbortController().signal);
  if (!provider.runner) {
    throw new ErrandError('environment/unsupported', `the provider ${spec.provider} of '${spec.environment}' runs no commands`);
  }
  if (spec.workspace !== undefined) await checkWorkspace(spec.workspace, spec.syncBack === true);
  // The values are asked for again when they are needed; here it only matters that they are there.
  for (const reference of Object.values(spec.secretEnv)) await engine.secrets.resolve(reference);
}

function sameRequest(run: Run, digest: string): Run {
  if (run.digest === digest) return run;
  throw new ErrandError(
    'run/key-conflict',
    `the idempotency key '${run.key}' belongs to ${run.id}, which was asked for something else`,
    {
      next: `Use another key for another request, or look at that run with: errand show ${run.id}`,
    },
  );
}
