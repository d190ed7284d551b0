// The public contract between two ends of ours, or with a far side that knows of ours as little as a Go plugin does.
import { Metadata, credentials } from '@grpc/grpc-js';
import type { Server, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Infra, Provider } from '@errand/contract';
import { connectIac } from '../src/iac/connect.ts';
import type { ConnectedIac, ConnectIacOptions } from '../src/iac/connect.ts';
import { serveIac } from '../src/iac/serve.ts';
import type { ServeIacOptions } from '../src/iac/serve.ts';
import { listen } from './served.ts';
import { capabilities } from './stub.ts';

/** `ours`: everything. `stranger`: no services of ours, no typed errors. */
export type FarSide = 'ours' | 'stranger';

export interface ThroughIac {
  readonly far?: FarSide;
  readonly serve?: Partial<ServeIacOptions>;
  readonly connect?: Partial<ConnectIacOptions>;
}

export async function throughIac(infra: Infra, options: ThroughIac = {}): Promise<ConnectedIac> {
  const { far = 'ours' } = options;
  let served: AsyncDisposable | undefined;
  const listening = await listen('unix', (server) => {
    const target = far === 'ours' ? server : strange(server);
    served = serveIac(target, { infra }, { name: 'tested', version: '1.2.3', ...options.serve });
  });
  const connected = await connectIacTo(listening.address, options.connect).catch(async (error: unknown) => {
    await listening[Symbol.asyncDispose]();
    throw error;
  });
  return {
    ...connected,
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]();
      await listening[Symbol.asyncDispose]();
      await served?.[Symbol.asyncDispose]();
    },
  };
}

export function connectIacTo(address: string, options: Partial<ConnectIacOptions> = {}): Promise<ConnectedIac> {
  return connectIac({ name: 'tested', address, credentials: credentials.createInsecure(), config: {}, ...options });
}

/** A whole provider, for the suites. */
export async function providerThroughIac(provider: Provider, far: FarSide): Promise<Provider> {
  const connected = await throughIac(provider.infra ?? { drivers: new Map() }, { far });
  return {
    capabilities,
    infra: connected.infra,
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

type Unary = (call: { readonly metadata: Metadata }, reply: (error: object | null, message?: object) => void) => void;
type Registry = { readonly contracts: readonly { readonly serviceName: string }[] };

/** Registers no service of ours, and loses everything in an error but its code and text. */
function strange(server: Server): Server {
  const isOurs = (path: string) => path.startsWith('/errand.v1.');
  const addService = (definition: ServiceDefinition, implementation: UntypedServiceImplementation) => {
    const methods = Object.entries(definition);
    if (methods.some(([, { path }]) => isOurs(path))) return;
    const plain = methods.map(([name, method]) => {
      const handler = implementation[name] as unknown as Unary;
      if (method.responseStream) return [name, handler] as const;
      const wrapped: Unary = (call, reply) =>
        handler(call, (error, message) => {
          if (error) return reply({ ...error, metadata: new Metadata() });
          if (name !== 'getContractRegistry') return reply(null, message);
          const contracts = (message as Registry).contracts.filter(({ serviceName }) => !isOurs(`/${serviceName}`));
          return reply(null, { contracts });
        });
      return [name, wrapped] as const;
    });
    server.addService(definition, Object.fromEntries(plain));
  };
  return { addService } as unknown as Server;
}
