import type { ProviderDefinition } from '@errand/contract';
import { agentProvider } from '@errand/provider-agent';
import { dockerProvider } from '@errand/provider-docker';
import { localProvider } from '@errand/provider-local';
import { sshProvider } from '@errand/provider-ssh';

/** What is built in. A provider's own code is loaded when it is first opened. */
export const builtinProviders: readonly ProviderDefinition[] = [localProvider, dockerProvider, sshProvider, agentProvider];

export const providersByName: ReadonlyMap<string, ProviderDefinition> = new Map(builtinProviders.map((one) => [one.name, one]));
