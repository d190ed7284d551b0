import { serveProviderPlugin } from '@errand/plugin';
import { trivialProvider } from './trivial.ts';

await serveProviderPlugin(trivialProvider);
