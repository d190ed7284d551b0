import { createRuntime as createCoreRuntime } from '@errand/core';
import type { Runtime, RuntimeOptions } from '@errand/core';
import { builtinProviders } from './providers.ts';

/** Opens the data directory and the config. Dispose it (`await using`) to let go of what it holds. */
export function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  return createCoreRuntime({ ...options, providers: builtinProviders });
}
