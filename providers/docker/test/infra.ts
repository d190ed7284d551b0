import { createHash } from 'node:crypto';
import type { Provider } from '@errand/contract';
import { dockerProvider } from '@errand/provider-docker';
import { defaultAddress } from '../src/address.ts';
import { openResourceEngine } from '../src/drivers/sdk.ts';

/** Names on the engine differ from home to home. */
export const prefixOf = (home: string) => `errand-test-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`;

/** The same home once more stands for a fresh process. */
export async function open(home: string): Promise<Provider> {
  return dockerProvider.open({ home, signal: new AbortController().signal, config: { prefix: prefixOf(home) } });
}

export async function openCutOff(home: string): Promise<Provider> {
  const config = { prefix: prefixOf(home), engine: 'unix:///nowhere/at/all.sock' };
  return dockerProvider.open({ home, signal: new AbortController().signal, config });
}

/** A volume of that name without our labels. */
export const foreignVolume = (suffix: string) => async (name: string, home: string) => {
  const { signal } = new AbortController();
  const engine = openResourceEngine(defaultAddress());
  const { name: made } = await engine.createVolume(`${prefixOf(home)}-${name}${suffix}`, {}, signal);
  return async () => {
    await engine.removeVolume(made, signal);
    engine.close();
  };
};
