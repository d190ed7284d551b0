// The canonical config as one schema. Loads zod: import it only when a config is to be checked or described.
import type { Attributes, Json } from '@errand/contract';
import * as z from 'zod';
import { mayRefer } from '../references/parse.ts';
import { valueAt } from '../references/walk.ts';
import type { CanonicalKey } from './keys.ts';
import * as types from './types.ts';

const shape = {
  name: z.string().meta({ description: 'What the provider calls it.' }),
  region: z.string().meta({ description: 'Where, in the words of the provider.' }),
  image: z.string().meta({ description: 'Container image.' }),
  http_port: types.port.meta({ description: 'The port that HTTP is served on.' }),
  internal_ports: z.array(types.portSpec).meta({ description: 'Further ports.' }),
  protocol: z.enum(['tcp', 'http', 'http2', 'grpc']).meta({ description: 'What is spoken on the port.' }),
  instance_count: types.count.meta({ description: 'How many run.' }),
  size: types.size.meta({ description: 'How big each is.' }),
  env_vars: types.variables.meta({ description: 'Environment variables.' }),
  env_vars_secret: types.secretVariables.meta({
    description: 'Environment variables by reference, such as secret://file/token.',
  }),
  vpc_ref: z.string().meta({ description: 'The network it is in.' }),
  autoscaling: types.autoscalingSpec,
  routes: z.array(types.routeSpec),
  cors: types.corsSpec,
  domains: z.array(types.domainSpec),
  health_check: types.healthCheckSpec,
  liveness_check: types.healthCheckSpec,
  ingress: types.ingressSpec,
  egress: types.egressSpec,
  alerts: z.array(types.alertSpec),
  log_destinations: z.array(types.logDestinationSpec),
  termination: types.terminationSpec,
  maintenance: types.maintenanceSpec,
  jobs: z.array(types.jobSpec),
  workers: z.array(types.workerSpec),
  static_sites: z.array(types.staticSiteSpec),
  sidecars: z.array(types.sidecarSpec),
  build_command: z.string().meta({ description: 'Builds it from source.' }),
  run_command: z.string().meta({ description: 'Starts it.' }),
  dockerfile_path: z.string(),
  source_dir: z.string(),
  provider_specific: z
    .record(z.string(), z.unknown())
    .meta({ description: 'By the name of a provider: what only that one knows.' }),
} satisfies Record<CanonicalKey, z.ZodType>;

/** Providers may have further keys. */
export const canonicalConfig = z.looseObject(shape).partial();

export interface ShapeProblem {
  readonly path: string;
  readonly message: string;
}

/** What is wrong with the canonical keys of a config. Texts with references may become anything and are passed over. */
export function checkShape(config: Attributes): readonly ShapeProblem[] {
  const parsed = canonicalConfig.safeParse(config);
  return (parsed.error?.issues ?? []).flatMap((issue) => {
    const path = issue.path.map(String).join('.');
    const written = valueAt(config, path);
    if (typeof written === 'string' && mayRefer(written)) return [];
    return [{ path, message: wording(issue) }];
  });
}

function wording(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `expected ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `expected ${issue.values.map((value) => `'${String(value)}'`).join(' or ')}`;
  if (issue.code === 'unrecognized_keys') return `unknown key '${issue.keys.join("', '")}'`;
  return issue.message;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'a map',
  record: 'a map',
  array: 'a list',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

/** JSON Schema (draft 2020-12), for editors and other programs. */
export function canonicalJsonSchema(): { readonly [key: string]: Json } {
  return z.toJSONSchema(canonicalConfig, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' }) as {
    [key: string]: Json;
  };
}
