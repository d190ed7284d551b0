// The provider as a program of its own, for Errand and for other hosts of the same protocol.
import { serveProviderPlugin } from '@errand/plugin';
import { localProvider } from './index.ts';

await serveProviderPlugin(localProvider);
