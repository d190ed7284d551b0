import type { Ask } from '../call.ts';
import type { Json } from '../json.ts';
import type { Attributes } from './resource.ts';

export type RequirementKind = 'observability' | 'web-api' | 'message-broker' | 'database' | 'cache' | 'storage';
export type RequirementRuntime = 'kubernetes' | 'ecs' | 'cloud-run' | 'azure-container-apps' | 'digitalocean-app-platform';

/** What an application needs, whoever will give it. */
export interface Requirement {
  readonly key: string;
  readonly kind?: RequirementKind;
  readonly source: string;
  readonly resourceTypeHint: string;
  readonly environment: string;
  readonly runtimes: readonly RequirementRuntime[];
  readonly telemetrySignals: readonly ('traces' | 'metrics' | 'logs')[];
  readonly observabilityBackends: readonly ('otel' | 'datadog' | 'prometheus' | 'loki' | 'grafana')[];
  readonly deploymentModes: readonly ('sidecar' | 'daemonset' | 'sibling-service' | 'managed')[];
  readonly vendorFeatures: readonly string[];
  readonly parameters: Attributes;
}

export interface RequirementContext {
  readonly application: string;
  readonly environment: string;
  readonly modules: readonly { readonly name: string; readonly type: string; readonly satisfies: readonly string[] }[];
  readonly pluginIds: readonly string[];
}

export interface RequirementDiscovery {
  /** Gets no secrets. */
  discover(context: RequirementContext, moduleConfig: Json, ask: Ask): Promise<readonly Requirement[]>;
}

export interface MappedRequirements {
  readonly acceptedKeys: readonly string[];
  readonly rejected: readonly { readonly key: string; readonly code: string; readonly message: string }[];
  readonly modules: readonly {
    readonly name: string;
    readonly type: string;
    readonly satisfies: readonly string[];
    readonly config: Attributes;
    readonly dependsOn: readonly string[];
  }[];
  readonly notes: readonly { readonly key: string; readonly message: string; readonly interactive: boolean }[];
}

export interface RequirementMapper {
  map(
    request: {
      readonly provider: string;
      readonly runtime?: RequirementRuntime;
      readonly environment: string;
      readonly requirements: readonly Requirement[];
    },
    ask: Ask,
  ): Promise<MappedRequirements>;
}
