import { ErrandError } from '@errand/contract';
import type { Call } from '@errand/contract';
import type { Engine } from '../client.ts';
import type { Engines } from '../engines.ts';
import { trying } from '../errors.ts';
import { isBroken, reach } from './reach.ts';
import { answers, ask as types, number64 } from './wire.ts';

/**
 * Tells a container that runs until when it stands, and who holds it. One that is down learns it when it is brought up
 * again.
 */
export async function renewInside(engines: Engines, engine: Engine, place: string, expiresAt: number, call: Call): Promise<void> {
  const payload = Buffer.concat([number64(expiresAt), number64(call.epoch)]);
  await trying(engine, `tried to renew the standing container of the place ${place}`, async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        const line = await reach(engines, engine, place, call.signal);
        if (!line) return;
        const reply = (await line.ask(types.renew, payload, call.signal)).at(-1);
        if (reply?.extra === answers.done) return;
        const code = reply?.extra === answers.fenced ? 'provider/fenced' : 'provider/failed';
        throw new ErrandError(code, `tried to renew the place ${place}: its standing container refused it`);
      } catch (error) {
        if (!isBroken(error) || attempt === 3) throw error;
      }
    }
  });
}
