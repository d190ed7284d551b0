// The provider as a program of its own, for Errand and for other hosts of the same protocol.
import { serveProviderPlugin } from '@errand/plugin';
import { agentProvider } from './index.ts';

await serveProviderPlugin(agentProvider);
