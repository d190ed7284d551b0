// The parts that canonical configs are made of. Where providers are known to add keys of their own, objects are open.
import * as z from 'zod';

const port = z.int().min(1).max(65_535);
const count = z.int().min(0);
const percent = z.int().min(1).max(100);
const variables = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], { error: 'expected text, a number, true or false' }),
);
const secretVariables = z.record(z.string(), z.string());
export const size = z.enum(['xs', 's', 'm', 'l', 'xl']);

export const portSpec = z.strictObject({
  name: z.string().optional(),
  port,
  protocol: z.enum(['http', 'tcp', 'udp', 'sctp']).optional(),
  public: z.boolean().optional(),
});

export const autoscalingSpec = z
  .strictObject({
    min: count.optional(),
    max: z.int().min(1).optional(),
    cpu_percent: percent.optional(),
    memory_percent: percent.optional(),
  })
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, { error: 'min is more than max' });

export const healthCheckSpec = z.looseObject({
  path: z.string().optional(),
  http_path: z.string().optional(),
  tcp_port: port.optional(),
  port: port.optional(),
  initial_delay_seconds: count.optional(),
  period_seconds: z.int().min(1).optional(),
  timeout_seconds: z.int().min(1).optional(),
  success_threshold: z.int().min(1).optional(),
  failure_threshold: z.int().min(1).optional(),
});

export const routeSpec = z.looseObject({ path: z.string().optional(), preserve_path_prefix: z.boolean().optional() });

export const corsSpec = z.looseObject({
  allow_origins: z.array(z.string()).optional(),
  allow_methods: z.array(z.string()).optional(),
  allow_headers: z.array(z.string()).optional(),
  expose_headers: z.array(z.string()).optional(),
  allow_credentials: z.boolean().optional(),
  max_age: z.string().optional(),
});

const fullDomain = z.looseObject({
  name: z.string(),
  zone: z.string().optional(),
  type: z.enum(['PRIMARY', 'ALIAS']).optional(),
  wildcard: z.boolean().optional(),
});
export const domainSpec = z.union([z.string(), fullDomain], { error: 'expected a name or a map with one' });

export const alertSpec = z.looseObject({
  rule: z.string().optional(),
  operator: z.enum(['GREATER_THAN', 'LESS_THAN']).optional(),
  value: z.number().optional(),
  window: z.string().optional(),
  disabled: z.boolean().optional(),
});

export const logDestinationSpec = z.looseObject({
  name: z.string().optional(),
  endpoint: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  tls: z.boolean().optional(),
});

export const terminationSpec = z.strictObject({ drain_seconds: count.optional(), grace_period_seconds: count.optional() });

const ingressRule = z.looseObject({ match: z.string().optional(), component: z.string().optional() });
export const ingressSpec = z.looseObject({ load_balancer: z.string().optional(), rules: z.array(ingressRule).optional() });

const egressRule = z.looseObject({
  destination: z.string().optional(),
  protocol: z.string().optional(),
  allow: z.boolean().optional(),
});
export const egressSpec = z.looseObject({ bandwidth: z.string().optional(), rules: z.array(egressRule).optional() });

export const maintenanceSpec = z.looseObject({ window: z.string().optional(), enabled: z.boolean().optional() });

export const workloadResourceSpec = z.looseObject({
  cpu_millis: count.optional(),
  memory_mib: count.optional(),
  cpu_limit: count.optional(),
  memory_limit: count.optional(),
});

const workload = {
  name: z.string().optional(),
  image: z.string().optional(),
  run_command: z.string().optional(),
  env_vars: variables.optional(),
  env_vars_secret: secretVariables.optional(),
};
const watched = { alerts: z.array(alertSpec).optional(), log_destinations: z.array(logDestinationSpec).optional() };

/** Written in either case. */
const jobKinds = ['pre_deploy', 'post_deploy', 'failed_deploy', 'scheduled', 'ephemeral'] as const;
export const jobSpec = z.looseObject({
  ...workload,
  ...watched,
  kind: z.enum([...jobKinds, ...jobKinds.map((kind) => kind.toUpperCase())]).optional(),
  cron: z.string().optional(),
  termination: terminationSpec.optional(),
});

export const workerSpec = z.looseObject({
  ...workload,
  ...watched,
  instance_count: count.optional(),
  size: size.optional(),
  autoscaling: autoscalingSpec.optional(),
  health_check: healthCheckSpec.optional(),
  resources: workloadResourceSpec.optional(),
  termination: terminationSpec.optional(),
});

export const staticSiteSpec = z.looseObject({
  name: z.string().optional(),
  build_command: z.string().optional(),
  output_dir: z.string().optional(),
  index_document: z.string().optional(),
  error_document: z.string().optional(),
  env_vars: variables.optional(),
  routes: z.array(routeSpec).optional(),
  cors: corsSpec.optional(),
  domains: z.array(domainSpec).optional(),
  alerts: z.array(alertSpec).optional(),
});

export const sidecarSpec = z.looseObject({
  ...workload,
  ports: z.array(portSpec).optional(),
  resources: workloadResourceSpec.optional(),
  health_check: healthCheckSpec.optional(),
  shares_network_with: z.string().optional(),
});

export { count, port, secretVariables, variables };
