// A provider of the public contract, in Go or anything else, as if it were ours.
import { Client } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Driver, Infra, Json } from '@errand/contract';
import { DriverService } from '../gen/errand/v1/driver_pb.js';
import * as iac from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { messageLimits } from '../transport/limits.ts';
import type { Link } from '../wire/link.ts';
import { askSensitiveKeys, connectDriver } from './connect-driver.ts';
import { askOwnFacts, connectOwnDriver } from './connect-own-driver.ts';
import type { OwnFacts } from './connect-own-driver.ts';
import { askCapabilities, askIdentity, connectRequired, initialize, onlyFacets } from './connect-required.ts';
import { connectRequirementDiscovery, connectRequirementMapper } from './connect-requirements.ts';
import * as services from './connect-services.ts';
import { connectStateBackend } from './connect-state-backend.ts';
import { isList } from './json-bytes.ts';
import { defaultPatience } from './line.ts';
import type { Line, Patience } from './line.ts';
import { askServices } from './registry.ts';
import { withSecrets } from './secrets.ts';

export interface ConnectIacOptions {
  /** For messages: "asked NAME to create …". */
  readonly name: string;
  readonly address: string;
  readonly credentials: ChannelCredentials;
  readonly channel?: ChannelOptions;
  /** The provider's own keys. `secret://` references in it are resolved here, since a plugin cannot ask back. */
  readonly config: Json;
  readonly secret?: ((reference: string) => Promise<string>) | undefined;
  /** Ends the connecting, not what comes after it. */
  readonly signal?: AbortSignal;
  readonly patience?: Partial<Patience>;
}

export interface ConnectedIac extends AsyncDisposable {
  readonly infra: Infra;
  /** Full names of all that it advertises, for the runner and for messages. */
  readonly services: ReadonlySet<string>;
  /** For further services on the same connection. */
  readonly link: Link;
  /** Empty where the plugin does not say. */
  readonly served: { readonly name: string; readonly version: string };
}

const namespace = 'workflow.plugin.external.iac.';

/** Asks what is served, initialises it once, and gives the facets that it has. */
export async function connectIac(options: ConnectIacOptions): Promise<ConnectedIac> {
  const { name, address, credentials, signal = new AbortController().signal } = options;
  const client = new Client(address, credentials, { ...messageLimits, ...options.channel });
  const link: Link = { client, name, metadata: undefined };
  const types = new Set<string>();
  const patience = { ...defaultPatience, ...options.patience };
  const line: Line = { link, patience, declares: (type) => types.has(type) };
  try {
    const served = await askServices(line, signal);
    const has = ({ typeName }: { readonly typeName: string }) => served.has(typeName);
    if (![...served].some((one) => one.startsWith(namespace))) throw noProvider(name, served);
    let identity = { name: '', version: '' };
    let infra: Infra = { drivers: new Map() };
    if (has(iac.IaCProviderRequired)) {
      await initialize(line, await configOf(options), signal);
      const declared = await askCapabilities(line, signal);
      for (const type of declared.types) types.add(type);
      identity = await askIdentity(line, signal);
      const own = has(DriverService) ? await askOwnFacts(line, signal) : undefined;
      const required = connectRequired(line);
      infra = {
        drivers: has(iac.ResourceDriver) ? await driversOf(line, declared.types, own, signal) : new Map(),
        ...(declared.canonicalKeys && { canonicalKeys: declared.canonicalKeys }),
        ...(own ? onlyFacets(required, own.facets) : required),
      };
    }
    const optionalFacets = await facetsOf(line, has, signal);
    return {
      infra: { ...infra, ...optionalFacets },
      services: served,
      link,
      served: identity,
      [Symbol.asyncDispose]: async () => client.close(),
    };
  } catch (error) {
    client.close();
    throw error;
  }
}

async function configOf({ name, config, secret }: ConnectIacOptions): Promise<Json> {
  if (config !== null && (typeof config !== 'object' || isList(config))) {
    throw new ErrandError('config/invalid', `opened the provider ${name}: its config is not a map of keys to values`);
  }
  return secret ? await withSecrets(config ?? {}, secret) : (config ?? {});
}

async function driversOf(line: Line, types: readonly string[], own: OwnFacts | undefined, signal: AbortSignal) {
  const made = types.map(async (type): Promise<readonly [string, Driver]> => {
    const facts = own?.drivers.find(({ resourceType }) => resourceType === type);
    if (own && facts) return [type, connectOwnDriver(line, facts, connectDriver(line, type, []), own.change)];
    return [type, connectDriver(line, type, await askSensitiveKeys(line, type, { signal }))];
  });
  return new Map(await Promise.all(made));
}

async function facetsOf(
  line: Line,
  has: (service: { readonly typeName: string }) => boolean,
  signal: AbortSignal,
): Promise<Partial<Infra>> {
  const drift = { plain: has(iac.IaCProviderDriftDetector), config: has(iac.IaCProviderDriftConfigDetector) };
  return {
    ...(has(iac.IaCProviderEnumerator) && { enumerator: services.connectEnumerator(line) }),
    ...((drift.plain || drift.config) && { driftDetector: services.connectDriftDetector(line, drift) }),
    ...(has(iac.IaCProviderCredentialRevoker) && { credentialRevoker: services.connectCredentialRevoker(line) }),
    ...(has(iac.IaCProviderRegionLister) && { regionLister: services.connectRegionLister(line) }),
    ...(has(iac.IaCProviderOwnership) && { ownership: services.connectOwnership(line) }),
    ...(has(iac.IaCProviderFinalizer) && { finalizer: services.connectFinalizer(line) }),
    ...(has(iac.IaCProviderMigrationRepairer) && { migrationRepairer: services.connectMigrationRepairer(line) }),
    ...(has(iac.IaCProviderValidator) && { validator: services.connectValidator(line) }),
    ...(has(iac.IaCProviderLogCapture) && { logCapture: services.connectLogCapture(line) }),
    ...(has(iac.IaCStateBackend) && { stateBackend: await connectStateBackend(line, signal) }),
    ...(has(iac.IaCRequirementDiscovery) && { requirementDiscovery: connectRequirementDiscovery(line) }),
    ...(has(iac.IaCProviderRequirementMapper) && { requirementMapper: connectRequirementMapper(line) }),
  };
}

function noProvider(name: string, served: ReadonlySet<string>): ErrandError {
  const advertised = served.size === 0 ? 'it advertises nothing' : `it advertises ${[...served].toSorted().join(', ')}`;
  return new ErrandError(
    'environment/unsupported',
    `asked ${name} to name its services; none is of an infrastructure provider: ${advertised}`,
    { next: 'Name a provider plugin, or install a version of this one that serves the contract.' },
  );
}
