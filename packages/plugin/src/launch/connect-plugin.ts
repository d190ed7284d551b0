import { isErrandError } from '@errand/contract';
import type { Capabilities, Json } from '@errand/contract';
import { connectProvider } from '../wire/connect.ts';
import type { ConnectedProvider, ConnectOptions } from '../wire/connect.ts';

export interface ConnectPluginOptions extends Pick<ConnectOptions, 'name' | 'address' | 'credentials' | 'channel'> {
  readonly signal: AbortSignal;
  /** The infrastructure provider's own keys. Absent: only places and jobs are wanted, where the plugin has them by itself. */
  readonly config?: Json | undefined;
  readonly secret?: ((reference: string) => Promise<string>) | undefined;
}

/** Nothing is promised for places and jobs that are not there. */
const none: Capabilities = {
  exactSignal: false,
  liveLogs: false,
  streamSplit: false,
  nativeTimeout: false,
  nativeExpiry: false,
  redactsLogs: false,
  resources: [],
  image: 'none',
  workspaceIn: false,
  workspaceOut: false,
};

/** Our own services are used where they are there; the public contract says the rest, or all. */
export async function connectPlugin(options: ConnectPluginOptions): Promise<ConnectedProvider> {
  const { config, secret, ...connection } = options;
  const own = await connectProvider(connection).catch((error: unknown) => {
    if (isErrandError(error, 'environment/unsupported')) return undefined;
    throw error;
  });
  if (own && config === undefined) return own;
  try {
    // Loaded late: most of our own plugins are wanted for jobs only.
    const { connectIac } = await import('../iac/connect.ts');
    const iac = await connectIac({ ...connection, config: config ?? {}, secret });
    return {
      capabilities: none,
      served: { ...iac.served, optionsSchema: null },
      ...own,
      infra: iac.infra,
      async [Symbol.asyncDispose]() {
        await own?.[Symbol.asyncDispose]();
        await iac[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await own?.[Symbol.asyncDispose]();
    throw error;
  }
}
