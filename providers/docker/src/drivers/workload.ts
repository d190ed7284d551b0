import type { Attributes, Json, ResourceSpec } from '@errand/contract';
import type { z } from 'zod';
import type { DiffRules } from './config.ts';
import type { HealthCheck, Published } from './client.ts';
import { digest } from './layout.ts';

/** What a resource is made of, in terms of containers. */
export interface Workload {
  readonly image: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** Values may be `secret://` references. */
  readonly env: Readonly<Record<string, string>>;
  /** A port without a place on the engine's machine gets one, and keeps it. */
  readonly ports: readonly Published[];
  readonly network?: string;
  readonly mounts: readonly { readonly volume: string; readonly target: string; readonly readOnly: boolean }[];
  readonly cpus?: number;
  readonly memory?: number;
  readonly health?: HealthCheck;
  readonly instances: number;
  /** Seconds between asking a container to end and ending it. */
  readonly grace: number;
}

/** What is known of a resource when its outputs are told. */
export interface Standing {
  readonly id: string;
  readonly config: Attributes;
  readonly password: string;
  /** As others in its network reach it; the engine's machine where it has no network. */
  readonly host: string;
  /** The port to use there for this port of the container. */
  readonly portOf: (port: number) => number;
  /** As programs on the engine's machine reach it; undefined for what is not published. */
  readonly external: (port: number) => { readonly host: string; readonly port: number } | undefined;
}

/** One canonical type. */
export interface WorkloadType {
  readonly type: string;
  readonly schema: z.ZodObject;
  readonly rules: DiffRules;
  /** Outputs beside those of every workload that must not be shown. */
  readonly sensitive: readonly string[];
  /** Where it keeps what must outlive its containers; then a volume of its own is mounted there. */
  readonly data?: string;
  readonly workload: (spec: ResourceSpec, password: string) => Workload;
  readonly outputs: (standing: Standing) => Attributes;
}

/**
 * The same for the same container, whatever order its keys were written in. How many there are is not part of it; what
 * is behind a secret is: whoever can read this label can read the variables of the container as well.
 */
export function specOf(workload: Workload, config: Attributes, values: readonly string[]): string {
  const { instances: _, ...made } = workload;
  return digest(stable({ made, config: comparable(config), values } as unknown as Json)).slice(0, 32);
}

/** What a container is compared by: how many there are is seen, and a region means nothing here. */
export function comparable(config: Attributes): Attributes {
  return Object.fromEntries(Object.entries(config).filter(([key]) => key !== 'instance_count' && key !== 'region'));
}

function stable(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${stable(one)}`)
    .join(',')}}`;
}
