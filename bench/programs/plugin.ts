// The local provider as a plugin program.
import { serveProviderPlugin } from '@errand/plugin';
import { localProvider } from '@errand/provider-local';

await serveProviderPlugin(localProvider);
