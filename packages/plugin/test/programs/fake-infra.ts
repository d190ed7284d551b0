// The fake platform as a plugin program. What it makes lies in the directory of its config.
import { createFakeInfra, fakeInfraProvider } from '@errand/testkit';
import { serveProviderPlugin } from '../../src/serve/serve-provider-plugin.ts';

await serveProviderPlugin(fakeInfraProvider(createFakeInfra()));
