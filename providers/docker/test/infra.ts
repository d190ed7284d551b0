// The engine, images and options that the drivers are tested with. No registry is needed: the images are made of this
// machine's busybox, and of its PostgreSQL with the libraries that it needs.
import { createHash } from 'node:crypto';
import type { Provider } from '@errand/contract';
import { dockerProvider } from '@errand/provider-docker';

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
