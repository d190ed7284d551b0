import type { Provider, ProviderContext } from '@errand/contract';
import { capabilities } from './capabilities.ts';
import { check } from './check.ts';
import { createHost } from './host.ts';
import { createHosts } from './hosts.ts';
import { accountOf, readOptions } from './options.ts';
import { createRunner } from './runner.ts';
import { connect, keyTrouble } from './sdk.ts';

export async function open({ home, secret }: ProviderContext): Promise<Provider> {
  const hosts = createHosts(home, { connect, trouble: keyTrouble, secret, agent: process.env['SSH_AUTH_SOCK'] || undefined });
  return {
    capabilities,
    host: createHost(hosts),
    runner: createRunner(hosts),
    check: (request, ask) => check(hosts, request, ask),
    account: (options) => accountOf(readOptions(options)),
    // Jobs go on: they are kept by their machine.
    [Symbol.asyncDispose]: async () => hosts[Symbol.dispose](),
  };
}
