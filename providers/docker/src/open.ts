import type { Provider, ProviderContext } from '@errand/contract';
import { capabilities } from './capabilities.ts';
import { check } from './check.ts';
import { createEngines } from './engines.ts';
import { createHost } from './host.ts';
import { readOptions } from './options.ts';
import { createRunner } from './runner.ts';

export async function open({ home }: ProviderContext): Promise<Provider> {
  const engines = createEngines(home);
  return {
    capabilities,
    host: createHost(engines),
    runner: createRunner(engines),
    check: (request, ask) => check(engines, request, ask),
    account: (options) => readOptions(options).engine ?? 'default',
    // Jobs go on: they are the engine's.
    [Symbol.asyncDispose]: async () => engines[Symbol.dispose](),
  };
}
