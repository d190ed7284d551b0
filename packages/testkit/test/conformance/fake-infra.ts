import { join } from 'node:path';
import type { Provider } from '@errand/contract';
import { createFakeInfra, fakeInfraProvider } from '@errand/testkit';

/** The same home once more is another process on the same platform. */
export async function open(home: string): Promise<Provider> {
  const fake = createFakeInfra({ directory: join(home, 'platform'), batches: true });
  return fakeInfraProvider(fake).open({ home, signal: new AbortController().signal });
}
