import type { Ask, Call } from '../call.ts';
import type { Json } from '../json.ts';
import type { Attributes } from './resource.ts';

/** What is recorded of a resource, as providers see it. */
export interface ResourceState {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** The kind of provider, and the one of that kind in the configuration. */
  readonly provider: string;
  readonly providerRef: string;
  readonly providerId: string;
  readonly configHash: string;
  readonly appliedConfig: Attributes;
  readonly appliedConfigSource: string;
  readonly outputs: Attributes;
  readonly dependencies: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly lastDriftCheck?: number;
}

/** A record in a plugin's state backend. */
export interface BackendRecord {
  readonly resourceId: string;
  readonly resourceType: string;
  readonly provider: string;
  readonly providerRef: string;
  readonly providerId: string;
  readonly configHash: string;
  readonly status: string;
  readonly outputs: Attributes;
  readonly config: Attributes;
  readonly dependencies: readonly string[];
  /** RFC 3339. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly error: string;
}

/** Keeps records elsewhere, such as in a bucket. No compare-and-swap: the last writer wins, so whoever writes holds the lock. */
export interface StateBackend {
  readonly names: readonly string[];
  /** Before anything else; once per name. */
  configure(name: string, config: Json, call: Call): Promise<void>;
  get(id: string, ask: Ask): Promise<BackendRecord | undefined>;
  save(record: BackendRecord, call: Call): Promise<void>;
  list(filter: Readonly<Record<string, string>>, ask: Ask): Promise<readonly BackendRecord[]>;
  /** What is gone is fine. */
  delete(id: string, call: Call): Promise<void>;
  /** `provider/conflict` when somebody has it. */
  lock(id: string, call: Call): Promise<void>;
  unlock(id: string, call: Call): Promise<void>;
}
