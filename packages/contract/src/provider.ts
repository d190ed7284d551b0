import type { ZodType } from 'zod';
import type { Ask } from './call.ts';
import type { Capabilities } from './capabilities.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Host } from './host.ts';
import type { Infra } from './infra/infra.ts';
import type { Json } from './json.ts';
import type { Resources } from './job.ts';
import type { Runner } from './runner.ts';

/** What a provider is opened with. */
export interface ProviderContext {
  /** A private directory on this machine, made on first use by the provider. */
  readonly home: string;
  /** All that Errand keeps on this machine; a sandbox hides it from the job. `home` when absent. */
  readonly dataDirectory?: string;
  readonly signal: AbortSignal;
  /** The infrastructure provider's own keys, validated by `infraOptions`; absent when only places and jobs are wanted. */
  readonly config?: Json;
  /** The plaintext behind a `secret://` reference in an environment's options; asked for at the last moment, never kept. */
  readonly secret?: (reference: string) => Promise<string>;
}

/** An environment's demands, shown to the provider before anything starts. */
export interface EnvironmentRequest {
  readonly image?: string;
  readonly resources: Resources;
  readonly options: Json;
  /** Files are to be brought in; absent when only the environment itself is looked at. */
  readonly workspaceIn?: boolean;
  readonly workspaceOut?: boolean;
}

/** What is known of a run before it is asked for. */
export interface ComingRun {
  readonly image?: string;
  readonly options: Json;
}

/** An opened provider: a facet that is present is supported, one that is absent is not. */
export interface Provider extends AsyncDisposable {
  readonly capabilities: Capabilities;
  readonly host?: Host;
  readonly runner?: Runner;
  readonly infra?: Infra;
  /** Refusals that capabilities cannot say, such as a missing tool. Empty means: go ahead. */
  check?(request: EnvironmentRequest, ask: Ask): Promise<readonly Diagnostic[]>;
  /** A run is about to come: what takes its time may be started. May be called often, and in vain. */
  warm?(coming?: ComingRun): void;
  /** The account whose rate limits the calls for these options share; the provider's name when absent. */
  account?(options: Json): string;
}

/** Where the options were written. Absent when nobody wrote any, as for a JSON Schema. */
export interface OptionsOrigin {
  /** Relative paths in the options are meant from here. */
  readonly directory: string;
}

export interface ProviderDefinition {
  readonly name: string;
  readonly version: string;
  /** One sentence for `errand env list`. */
  readonly summary: string;
  /** The keys that an environment may carry beside the common ones. Loaded only when a config file is read. */
  readonly options: (from?: OptionsOrigin) => Promise<ZodType>;
  /** The keys of an entry under `infra.providers` that uses this provider; absent: it has no resources. */
  readonly infraOptions?: (from?: OptionsOrigin) => Promise<ZodType>;
  /** Calls per second to one account, and how many may come at once. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  open(context: ProviderContext): Promise<Provider>;
}

export function defineProvider(definition: ProviderDefinition): ProviderDefinition {
  return definition;
}
