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
const lists: readonly Method[] = ['host.inventory', 'runner.find'];
const troubles: readonly ErrorCode[] = ['provider/unreachable', 'provider/throttled', 'provider/timeout', 'provider/failed'];

/** Up to four kinds of trouble; in a quarter of all stories there is none. */
export function drawRules(chance: Chance, now: number): Rule[] {
  return Array.from({ length: chance.pick([0, 1, 2, 4]) }, () => {
    if (chance.happens(0.2)) return drawLogTrouble(chance);
    const list = chance.happens(0.2);
    const on = chance.pick(list ? lists : unary);
    const manner: Manner = list ? { do: 'cut', after: chance.between(0, 4) } : drawManner(chance, on);
    const window = chance.happens(0.3) ? { until: now + chance.between(5000, 60_000) } : {};
    return { on, manner, chance: chance.pick([0.05, 0.2, 0.5]), ...window };
  });
}

/** Never so bad that a patient reader could not get all of it within the time it has after the end. */
function drawLogTrouble(chance: Chance): Rule {
  const after = chance.between(0, 4);
  if (chance.happens(0.5)) return { on: 'runner.logs', manner: { do: 'cut', after }, chance: chance.pick([0.05, 0.2]) };
  const first = chance.between(1, 10);
  return { on: 'runner.logs', manner: { do: 'stall', after }, calls: [first, first + 1] };
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
    { do: 'late', ms: chance.between(10, 20_000) },
  ]);
}
