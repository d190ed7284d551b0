// The fake platform as a plugin program. What it makes lies in the directory of its config. With `die`, every call kills it.
import { createFakeInfra, fakeInfraProvider } from '@errand/testkit/fake-infra';
import { serveProviderPlugin } from '../../src/serve/serve-provider-plugin.ts';

const rules = process.argv[2] === 'die' ? ([{ on: 'any', fault: { do: 'die' } }] as const) : [];
await serveProviderPlugin(fakeInfraProvider(createFakeInfra({ rules })));
