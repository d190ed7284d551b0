import { Client } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions, Metadata } from '@grpc/grpc-js';
import type { Json, Provider } from '@errand/contract';
import { ProviderService } from '../gen/errand/v1/provider_pb.js';
import { answerSecrets } from './answer-secrets.ts';
import { readCapabilities } from './capabilities.ts';
import { connectHost } from './connect-host.ts';
import { connectRunner } from './connect-runner.ts';
import { readDiagnostic } from './diagnostics.ts';
import { jsonBytes, jsonValue } from './json.ts';
import { sharedOptions } from './limits.ts';
import { unary } from './link.ts';
import type { Link } from './link.ts';
import { reading } from './replies.ts';
import { optional, sendResources } from './values.ts';

export interface ConnectOptions {
  /** For messages: "asked NAME to start; …". */
  readonly name: string;
  /** `host:port`, or `unix:` and an absolute path. */
  readonly address: string;
  readonly credentials: ChannelCredentials;
  /** Asked before every call, so that a token may change while the connection stands. */
  readonly metadata?: () => Promise<Metadata>;
  /** Answers what a plugin asks for; without it, and from an agent, no question is heard. */
  readonly secret?: ((reference: string) => Promise<string>) | undefined;
  /** Ends the connecting, not what comes after it. */
  readonly signal?: AbortSignal;
  /** How long the far side may take to say what it is; milliseconds. */
  readonly patience?: number;
  /** Added to ours, such as a server name for TLS. */
  readonly channel?: ChannelOptions;
}

/** A provider in another process, and what it said of itself. */
export interface ConnectedProvider extends Provider {
  readonly served: {
    readonly name: string;
    readonly version: string;
    /** JSON Schema; null when there is none. */
    readonly optionsSchema: Json;
  };
}

const channelDefaults: ChannelOptions = {
  ...sharedOptions,
  // A restarted far side is found again soon; the default waits up to two minutes.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 3_000,
  // Repeating is decided by error class, above; the library would keep a copy of what it sends.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
};

/** A line that died without a word is noticed, also while a job is silent for hours. */
const keepAlive: ChannelOptions = { 'grpc.keepalive_time_ms': 20_000, 'grpc.keepalive_timeout_ms': 10_000 };

/**
 * Connects to what `serveProvider` serves. Rejects with `environment/unsupported` when something else answers there.
 * There is no `account`: who knows the address knows better whose rate limits are shared.
 */
export async function connectProvider(options: ConnectOptions): Promise<ConnectedProvider> {
  const { name, address, credentials, metadata, signal = new AbortController().signal, patience = 10_000 } = options;
  const client = new Client(address, credentials, { ...channelDefaults, ...optionsFor(address), ...options.channel });
  const link: Link = { client, name, metadata };
  try {
    const deadline = Date.now() + patience;
    const description = await unary(link, ProviderService.method.describe, {}, { signal, deadline });
    return await reading(link, 'describe itself', async () => {
      const facets = new Set(description.facets);
      const answers = facets.has('secrets') && options.secret ? answerSecrets(link, options.secret) : undefined;
      const watched = <F extends object>(facet: F): F => answers?.watching(facet) ?? facet;
      return {
        capabilities: readCapabilities(description.capabilities),
        served: {
          name: description.name,
          version: description.version,
          optionsSchema: jsonValue(description.optionsSchemaJson, 'the schema of the options'),
        },
        ...(facets.has('host') && { host: watched(connectHost(link)) }),
        ...(facets.has('runner') && { runner: watched(connectRunner(link)) }),
        ...(facets.has('check') && watched({ check: connectCheck(link) })),
        ...(facets.has('warm') && { warm: connectWarm(link) }),
        async [Symbol.asyncDispose]() {
          answers?.[Symbol.dispose]();
          client.close();
        },
      };
    });
  } catch (error) {
    client.close();
    throw error;
  }
}

function connectCheck(link: Link): NonNullable<Provider['check']> {
  return async ({ image, resources, options }, ask) => {
    const request = { resources: sendResources(resources), optionsJson: jsonBytes(options), ...optional({ image }) };
    return (await unary(link, ProviderService.method.check, request, ask)).diagnostics.map(readDiagnostic);
  };
}

/** In vain is fine: the run that comes tells what is wrong. */
function connectWarm(link: Link): () => void {
  return () => {
    const signal = AbortSignal.timeout(10_000);
    unary(link, ProviderService.method.warm, {}, { signal }).catch(() => undefined);
  };
}

/** The machine's proxy is for other machines; a socket needs no keep-alive, and some servers take it amiss. */
function optionsFor(address: string): ChannelOptions {
  if (address.startsWith('unix:')) return { 'grpc.enable_http_proxy': 0 };
  const here = /^(localhost:|127\.|\[::1\])/.test(address);
  return here ? { ...keepAlive, 'grpc.enable_http_proxy': 0 } : keepAlive;
}
