// The far side of one story: its traits and bad manners, drawn from the seed.
import type { ErrorCode } from '@errand/contract';
import type { Traits } from '../fake/cloud.ts';
import type { Manner, Method, Rule } from '../fake/manners.ts';
import type { Chance } from './random.ts';

export function drawTraits(chance: Chance): Partial<Traits> {
  return {
    listLag: chance.pick([0, 0, 500, 20_000]),
    logLag: chance.pick([0, 0, 300, 8000]),
    stopTakes: chance.pick([0, 50, 3000]),
    chunk: chance.pick([3, 17, 64 * 1024]),
    nativeTimeout: chance.happens(0.5),
  };
}

const unary: readonly Method[] = ['host.acquire', 'host.renew', 'host.release', 'runner.start', 'runner.wait', 'runner.stop'];
const streams: readonly Method[] = ['runner.logs', 'host.inventory', 'runner.find'];
const troubles: readonly ErrorCode[] = ['provider/unreachable', 'provider/throttled', 'provider/timeout', 'provider/failed'];

/** Up to four kinds of trouble; in a third of all stories there is none. */
export function drawRules(chance: Chance, now: number): Rule[] {
  const count = chance.pick([0, 1, 2, 4]);
  return Array.from({ length: count }, () => {
    const stream = chance.happens(0.25);
    const on = chance.pick(stream ? streams : unary);
    const after = chance.between(0, 4);
    // A list that falls silent for ever holds whoever reads it; only a log has a reader who cannot say when it ends.
    const silent = on === 'runner.logs' && chance.happens(0.5);
    const manner: Manner = stream ? { do: silent ? 'stall' : 'cut', after } : drawManner(chance, on);
    const window = chance.happens(0.3) ? { until: now + chance.between(5000, 60_000) } : {};
    return { on, manner, chance: chance.pick([0.05, 0.2, 0.5]), ...window };
  });
}

function drawManner(chance: Chance, on: Method): Manner {
  return chance.pick<Manner>([
    { do: 'delay', ms: chance.between(1, 8000) },
    { do: 'refuse', code: chance.pick(troubles) },
    ...(on === 'host.acquire' ? [{ do: 'refuse', code: 'provider/capacity' } as const] : []),
    { do: 'lose-reply' },
    { do: 'repeat' },
    { do: 'hang' },
    { do: 'hang-after' },
    // A request to start that arrives after its answer was given up is the far side's to refuse; the place's fence does.
    ...(on === 'runner.start' ? [] : [{ do: 'late', ms: chance.between(10, 20_000) } as const]),
  ]);
}
