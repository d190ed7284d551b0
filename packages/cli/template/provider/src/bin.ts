import { serveProviderPlugin } from 'errand/provider';
import { provider } from './index.ts';

await serveProviderPlugin(provider);
