import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { Provider } from '@errand/contract';
import { localProvider } from '@errand/provider-local';

/** Paths of resources are relative to `tree` in the home. The same home once more stands for a fresh process. */
export async function open(home: string): Promise<Provider> {
  const root = join(home, 'tree');
  await mkdir(root, { recursive: true });
  return localProvider.open({ home: join(home, 'data'), signal: new AbortController().signal, config: { root } });
}
