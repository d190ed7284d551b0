import type { ComingRun, Provider, ProviderContext } from '@errand/contract';
import { capabilities } from './capabilities.ts';
import { check } from './check.ts';
import { createEngines, imagePatience } from './engines.ts';
import type { Engines } from './engines.ts';
import { createHost } from './host.ts';
import { createKnownInfo } from './known-info.ts';
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
    warm: (coming) => greet(engines, coming),
    // Jobs go on: they are the engine's.
    [Symbol.asyncDispose]: async () => {
      resources?.[Symbol.dispose]();
      engines[Symbol.dispose]();
    },
  };
}

/** The first question to an engine takes longest, so the one after the image is asked early. */
function greet(engines: Engines, coming: ComingRun | undefined): void {
  if (coming?.image === undefined) return;
  const engine = engines.at(readOptions(coming.options).engine);
  const answer = engine.image(coming.image, AbortSignal.timeout(imagePatience)).catch(() => undefined);
  engines.images.put(`${engine.address} ${coming.image}`, answer);
}
