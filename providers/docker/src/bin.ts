// The provider as a program of its own, for Errand and for other hosts of the same protocol.
import { serveProviderPlugin } from '@errand/plugin';
import { dockerProvider } from './index.ts';

await serveProviderPlugin(dockerProvider);
