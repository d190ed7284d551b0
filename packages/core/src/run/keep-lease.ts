import { quietly } from '../base/quietly.ts';
import type { Engine } from '../engine/types.ts';
import { renewLease } from '../lease/acquire.ts';
import type { Lease } from '../model/lease.ts';
import type { Watch } from './watch.ts';

/** Renews the run's lease when half its time is gone, for as long as somebody watches. */
export function keepLease(engine: Engine, watch: Watch, granted: Lease): AsyncDisposable {
  const { clock } = engine.ports;
  const stop = new AbortController();
  const signal = AbortSignal.any([watch.signal, stop.signal]);
  const keeping = keep(granted);

  async function keep(first: Lease): Promise<void> {
    let lease = first;
    let pause = 0;
    while (!signal.aborted && lease.status === 'active') {
      const half = lease.expiresAt - lease.spec.ttl / 2;
      await clock.sleep(Math.max(half - clock.now(), pause), signal);
      if (signal.aborted) return;
      try {
        lease = await renewLease(engine, lease, clock.now() + lease.spec.ttl, signal);
        pause = 0;
      } catch {
        // Tried again until it is too late; then the far side ends the job and its end tells why.
        pause = engine.settings.insistEvery;
        lease = (await engine.store.lease(lease.id).catch(() => undefined)) ?? lease;
      }
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      stop.abort(quietly);
      await keeping;
    },
  };
}
