import type { RunRequest } from '@errand/core';
import type { Chance } from './random.ts';

/** A job in the fake's language. One that would never end always has a deadline. */
export function drawRequest(chance: Chance): RunRequest {
  const words: string[] = [];
  if (chance.happens(0.15)) words.push('deaf');
  if (chance.happens(0.1)) words.push('stubborn', String(chance.between(1, 3)));
  const neverPending = chance.happens(0.05);
  if (neverPending) words.push('pending', 'forever');
  else if (chance.happens(0.2)) words.push('pending', String(chance.between(10, 20_000)));
  if (chance.happens(0.5)) words.push('every', String(chance.between(10, 2000)));
  words.push('emit', String(chance.between(0, 20)));
  if (chance.happens(0.3)) words.push('warn', 'careful');
  if (chance.happens(0.6)) words.push('sleep', String(chance.between(0, 40_000)));
  if (chance.happens(0.3)) words.push('emit', '3');
  const forever = chance.happens(0.1);
  words.push(...(forever ? ['forever'] : drawEnd(chance)));
  const timeout = forever || chance.happens(0.2) ? { timeout: chance.between(500, 60_000) } : {};
  const pendingTimeout = neverPending || chance.happens(0.1) ? { pendingTimeout: chance.between(1000, 60_000) } : {};
  return { ...drawPlace(chance), command: words, ...timeout, ...pendingTimeout };
}

/** Where it runs: most of the time where others run too, so that they meet. */
function drawPlace(chance: Chance): Pick<RunRequest, 'environment' | 'reuseLabel'> {
  const environment = chance.pick(['sim', 'sim', 'again', 'again', 'kept', 'ready', 'both']);
  return (environment === 'again' || environment === 'both') && chance.happens(0.2)
    ? { environment, reuseLabel: 'other' }
    : { environment };
}

function drawEnd(chance: Chance): string[] {
  if (chance.happens(0.05)) return ['lose'];
  return chance.pick([
    ['exit', '0'],
    ['exit', String(chance.between(1, 255))],
    ['signal', 'SIGSEGV'],
  ]);
}
