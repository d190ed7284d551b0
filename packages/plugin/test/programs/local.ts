// The local provider as a plugin program.
import { localProvider } from '@errand/provider-local';
import { serveProviderPlugin } from '../../src/serve/serve-provider-plugin.ts';

await serveProviderPlugin(localProvider);
