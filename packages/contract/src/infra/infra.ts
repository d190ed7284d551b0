import type { Ask, Call } from '../call.ts';
import type { Json } from '../json.ts';
import type { Driver } from './driver.ts';
import type { RequirementDiscovery, RequirementMapper } from './requirements.ts';
import type { Attributes, ResourceHints, ResourceRef, Size } from './resource.ts';
import type {
  ActionFailure,
  CredentialRevoker,
  DriftDetector,
  Enumerator,
  Finalizer,
  LogCapture,
  MigrationRepairer,
  Ownership,
  RegionLister,
  Validator,
} from './services.ts';
import type { ResourceState, StateBackend } from './state.ts';

/** What a size means on this provider; merged into the config before anything is compared. */
export interface Sizing {
  readonly instanceType: string;
  readonly specs: Attributes;
}

export interface ResourceStatus {
  readonly name: string;
  readonly type: string;
  readonly providerId: string;
  readonly status: string;
  readonly outputs: Attributes;
}

export interface Bootstrapped {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The infrastructure half of a provider. Opened with `ProviderContext.config`; one instance per configured provider. */
export interface Infra {
  /** A type that is here is supported. */
  readonly drivers: ReadonlyMap<string, Driver>;
  /** Keys of a canonical config that this provider understands; absent: all of them. */
  readonly canonicalKeys?: readonly string[];
  sizing?(type: string, size: Size, hints: ResourceHints, ask: Ask): Promise<Sizing | undefined>;
  /** What is there under this id, for `import`; undefined: nothing. */
  import?(type: string, providerId: string, ask: Ask): Promise<ResourceState | undefined>;
  status?(refs: readonly ResourceRef[], ask: Ask): Promise<readonly ResourceStatus[]>;
  /** Only for providers that order deletions themselves; otherwise each driver's `delete` is called in order. */
  destroy?(
    refs: readonly ResourceRef[],
    call: Call,
  ): Promise<{ readonly destroyed: readonly string[]; readonly errors: readonly ActionFailure[] }>;
  /** Makes the place where state is kept. Repeating it is fine. */
  bootstrap?(config: Json, call: Call): Promise<Bootstrapped | undefined>;

  readonly enumerator?: Enumerator;
  readonly driftDetector?: DriftDetector;
  readonly credentialRevoker?: CredentialRevoker;
  readonly regionLister?: RegionLister;
  readonly ownership?: Ownership;
  readonly finalizer?: Finalizer;
  readonly migrationRepairer?: MigrationRepairer;
  readonly validator?: Validator;
  readonly logCapture?: LogCapture;
  readonly stateBackend?: StateBackend;
  readonly requirementDiscovery?: RequirementDiscovery;
  readonly requirementMapper?: RequirementMapper;
}
