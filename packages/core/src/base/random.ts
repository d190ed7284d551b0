// Ids are 48 bits of time and 80 bits of randomness in Crockford's base 32, lower case: they sort by creation, hold
// no letter that is misread for a digit, and are safe in file names, labels and host names.
import type { Clock, Random } from '../ports.ts';
import { systemClock } from './clock.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const tailBits = 80n;

/** Ids of one instance only ever go up, also within a millisecond and when the clock goes back. */
export function createRandom(clock: Pick<Clock, 'now'>): Random {
  let last = 0n;
  return {
    id: () => {
      // Loaded at the first id: it costs several milliseconds of every start-up that needs none.
      const { randomBytes } = process.getBuiltinModule('node:crypto');
      const fresh = (BigInt(clock.now()) << tailBits) | BigInt(`0x${randomBytes(10).toString('hex')}`);
      last = fresh >> tailBits > last >> tailBits ? fresh : last + 1n;
      return encode(last);
    },
    fraction: () => Math.random(),
  };
}

export const systemRandom: Random = createRandom(systemClock);

function encode(value: bigint): string {
  let text = '';
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += alphabet[Number((value >> shift) & 31n)];
  return text;
}
