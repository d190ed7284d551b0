import type { Ports } from '../ports.ts';
import { systemClock } from './clock.ts';
import { systemIdentity } from './identity.ts';
import { systemRandom } from './random.ts';

export function systemPorts(): Ports {
  return { clock: systemClock, random: systemRandom, identity: systemIdentity() };
}
