// One seeded story: what people ask for on several hosts, and what befalls the hosts meanwhile.
import { isErrandError } from '@errand/contract';
import type { Job, Outcome, RunRequest } from '@errand/core';
import { startHost } from './host.ts';
import type { Ground, SimHost } from './host.ts';
import { drawRequest } from './workload.ts';

/** What callers were told; it must agree with what is written in the end. */
export interface Told {
  readonly outcomes: { readonly run: string; readonly outcome: Outcome }[];
  readonly keys: { readonly key: string; readonly run: string }[];
  /** Failures that are no honest answer. */
  readonly surprises: string[];
}

export interface Story {
  readonly told: Told;
  readonly hosts: SimHost[];
  play(): Promise<void>;
}

const machines = ['anna', 'bert'] as const;

export function createStory(ground: Ground): Story {
  const { chance, clock } = ground;
  const told: Told = { outcomes: [], keys: [], surprises: [] };
  const hosts: SimHost[] = Array.from({ length: 3 }, () => startHost(ground, chance.pick(machines)));
  const runs: string[] = [];
  const leases: string[] = [];
  const keyed = new Map<string, RunRequest>();

  /** Fire and forget: a host that dies or hangs in the middle must not hold the story up. */
  function attempt(host: SimHost, what: string, work: () => Promise<unknown>): void {
    ground.tell(`${host.name} is asked to ${what}`);
    work().catch((error: unknown) => {
      const honest = isErrandError(error) ? error.code !== 'internal/bug' : closing.has(host);
      const line = `${host.name} could not ${what}: ${error instanceof Error ? error.message : String(error)}`;
      ground.tell(line);
      if (!honest) told.surprises.push(line);
    });
  }

  async function hear(job: Job): Promise<void> {
    runs.push(job.id);
    const outcome = await job.exit;
    told.outcomes.push({ run: job.id, outcome });
  }

  const closing = new Set<SimHost>();
  const acts: readonly (readonly [weight: number, act: (host: SimHost) => void])[] = [
    [30, (host) => attempt(host, 'run', async () => hear(await host.runtime.run(drawRequest(chance))))],
    [10, runWithKey],
    [8, rush],
    [4, (host) => attempt(host, 'submit', async () => runs.push((await host.runtime.submit(drawRequest(chance))).run.id))],
    [8, (host) => attempt(host, 'acquire', acquire(host))],
    [12, runInLease],
    [4, (host) => onLease(host, 'release', async (id) => (await host.runtime.lease(id)).release())],
    [4, (host) => onLease(host, 'renew', async (id) => (await host.runtime.lease(id)).renew(chance.between(1000, 60_000)))],
    [8, (host) => onRun(host, 'cancel', (id) => host.runtime.cancel(id, { force: chance.happens(0.3) }))],
    [4, (host) => onRun(host, 'attach', async (id) => hear(await host.runtime.attach(id)))],
    [8, (host) => attempt(host, 'sweep', () => host.runtime.sweep())],
    [4, (host) => attempt(host, 'warm', () => host.runtime.warm())],
    [4, (host) => host.fate.die()],
    [8, (host) => host.fate.dieAt(chance.between(1, 60), chance.pick(['before', 'after']))],
    [5, (host) => host.fate.pauseUntil(clock.now() + chance.between(1000, 90_000))],
    [2, closeHost],
    [1, () => destroyPlace()],
  ];

  /** Everybody wants the same idle places in the same moment. */
  function rush(): void {
    const environment = chance.pick(['again', 'both', 'ready']);
    for (const host of hosts) {
      if (host.isDead() || closing.has(host)) continue;
      const request = { environment, command: ['emit', '2', 'sleep', String(chance.between(0, 3000)), 'exit', '0'] };
      attempt(host, `join a rush on ${environment}`, async () => hear(await host.runtime.run(request)));
    }
  }

  function runWithKey(host: SimHost): void {
    const key = `key-${chance.between(1, 3)}`;
    const request = keyed.get(key) ?? { ...drawRequest(chance), idempotencyKey: key };
    keyed.set(key, request);
    attempt(host, `run ${key}`, async () => {
      const job = await host.runtime.run(request);
      told.keys.push({ key, run: job.id });
      await hear(job);
    });
  }

  const acquire = (host: SimHost) => async () => {
    const handle = await host.runtime.acquire('sim', { ttl: chance.between(5000, 120_000) });
    leases.push(handle.id);
  };

  function runInLease(host: SimHost): void {
    const { environment: _own, reuseLabel: _label, ...request } = drawRequest(chance);
    onLease(host, 'run in', async (lease) => hear(await host.runtime.run({ ...request, lease })));
  }

  function onRun(host: SimHost, what: string, work: (id: string) => Promise<unknown>): void {
    if (runs.length === 0) return;
    const id = chance.pick(runs);
    attempt(host, `${what} ${id}`, () => work(id));
  }

  function onLease(host: SimHost, what: string, work: (id: string) => Promise<unknown>): void {
    if (leases.length === 0) return;
    const id = chance.pick(leases);
    attempt(host, `${what} ${id}`, () => work(id));
  }

  function closeHost(host: SimHost): void {
    closing.add(host);
    attempt(host, 'close', async () => {
      await host.runtime[Symbol.asyncDispose]();
      host.fate.die();
    });
  }

  /** However many fill a pool at once. */
  async function countReady(): Promise<void> {
    const waiting = await ground.store.leases({ statuses: ['pending', 'idle'] });
    for (const { name, warm = 0 } of ground.config.environments.values()) {
      const ready = waiting.filter(({ spec, used }) => spec.warm && !used && spec.environment === name).length;
      if (ready > warm) ground.complain(`'${name}' has ${ready} ready places for ${warm}`);
    }
  }

  function destroyPlace(): void {
    const alive = ground.cloud.places().filter((place) => place.goneAt === undefined);
    if (alive.length > 0) ground.cloud.destroy(chance.pick(alive).key);
  }

  /** A host that died is replaced after a while, by one with another identity. */
  function livingHost(): SimHost {
    const index = chance.between(0, hosts.length - 1);
    const host = hosts[index];
    if (host && !host.isDead() && !closing.has(host)) return host;
    const fresh = startHost(ground, chance.pick(machines));
    hosts[index] = fresh;
    return fresh;
  }

  return {
    told,
    hosts,
    async play() {
      const total = acts.reduce((sum, [weight]) => sum + weight, 0);
      for (let left = chance.between(8, 32); left > 0; left--) {
        await clock.sleep(chance.between(0, 6000));
        await countReady();
        const host = livingHost();
        let at = chance.between(1, total);
        acts.find(([weight]) => (at -= weight) <= 0)?.[1](host);
      }
    },
  };
}
