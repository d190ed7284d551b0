import type { Provider, ProviderContext } from '@errand/contract';
import { capabilities } from './capabilities.ts';
import { check } from './check.ts';
import { createEngines } from './engines.ts';
import type { Engines } from './engines.ts';
import { createHost } from './host.ts';
import { createKnownInfo } from './known-info.ts';
import { label } from './layout.ts';
import { readOptions } from './options.ts';
import { createRunner } from './runner.ts';
import { openEngine } from './sdk.ts';

export async function open({ home, config }: ProviderContext): Promise<Provider> {
  const resources = config === undefined ? undefined : (await import('./drivers/index.ts')).openInfra(config);
  const engines = createEngines(home, openEngine, createKnownInfo(home));
  return {
    capabilities,
    host: createHost(engines),
    runner: createRunner(engines),
    ...(resources === undefined ? {} : { infra: resources.infra }),
    check: (request, ask) => check(engines, request, ask),
    account: (options) => readOptions(options).engine ?? 'default',
    warm: () => greet(engines),
    // Jobs go on: they are the engine's.
    [Symbol.asyncDispose]: async () => {
      resources?.[Symbol.dispose]();
      engines[Symbol.dispose]();
    },
  };
}

/** The first question to an engine takes longest; with the one that was used before it is got over early. */
function greet(engines: Engines): void {
  const [engine] = engines.known();
  engine?.volumes({ [label.owner]: 'nobody' }, AbortSignal.timeout(5_000)).catch(() => undefined);
}
