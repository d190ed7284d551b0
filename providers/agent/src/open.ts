import type { Provider, ProviderContext } from '@errand/contract';
import { createAgents } from './agents.ts';
import { capabilities, lacking } from './capabilities.ts';
import { connectionOf, farOptions } from './connection.ts';
import { connectFar } from './far.ts';
import { agentFor, createHost } from './host.ts';
import { createRunner } from './runner.ts';

/** Reaches no agent yet: one that is away must not keep runs on it from being taken over, or others from being listed. */
export async function open(context: ProviderContext): Promise<Provider> {
  const agents = createAgents(context.home, (connection) => connectFar(context, connection));
  return {
    capabilities,
    host: createHost(agents),
    runner: createRunner(agents),
    async check(request, ask) {
      const connection = agentFor(request.options);
      const far = await agents.at(connection);
      const own = lacking(far.capabilities, connection.address, request);
      const theirs = await far.check?.({ ...request, options: farOptions(request.options) }, ask);
      return [...own, ...(theirs ?? [])];
    },
    account: (options) => connectionOf(options)?.address ?? 'unknown',
    // Jobs go on: they are the agent's.
    [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose](),
  };
}
