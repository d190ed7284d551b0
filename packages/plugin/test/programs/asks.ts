// A plugin that asks its host for whatever the options tell it to.
import { defineProvider } from '@errand/contract';
import { capabilities } from '../stub.ts';
import { serveProviderPlugin } from '../../src/serve/serve-provider-plugin.ts';

await serveProviderPlugin(
  defineProvider({
    name: 'asks',
    version: '1.0.0',
    summary: '',
    options: () => Promise.reject(new Error('not read here')),
    open: async ({ secret }) => ({
      capabilities,
      runner: { find: async function* () {} } as never,
      async check({ options }) {
        // Written apart, so that the reference is not one that the call has named.
        const { wanted, scheme } = options as { wanted: string; scheme?: string };
        const value = (await secret?.(`${scheme ?? ''}${wanted}`)) ?? 'none';
        return [{ severity: 'warning', message: value }];
      },
      [Symbol.asyncDispose]: async () => undefined,
    }),
  }),
);
