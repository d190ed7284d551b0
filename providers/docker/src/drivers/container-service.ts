import { z } from 'zod';
import { bytes, cpu, memory, port, readConfig, variables } from './config.ts';
import type { HealthCheck } from './client.ts';
import type { WorkloadType } from './workload.ts';
import { defaultGrace } from './workload-driver.ts';

const seconds = z.number().min(0);

const healthCheck = z.strictObject({
  http_path: z.string().min(1).optional().describe('Asked for with wget or curl, one of which the image must have.'),
  tcp_port: port.optional().describe('Must take connections; asked with nc, which the image must have.'),
  port: port.optional().describe('For http_path. Default: http_port.'),
  initial_delay_seconds: seconds.optional(),
  period_seconds: seconds.optional(),
  timeout_seconds: seconds.optional(),
  success_threshold: z.int().min(1).max(1).optional().describe('An engine takes the first success.'),
  failure_threshold: z.int().min(1).optional(),
});

const schema = z.strictObject({
  image: z.string().min(1),
  run_command: z.string().min(1).optional().describe('A script for the image’s /bin/sh, instead of its own command.'),
  http_port: port.optional().describe('Published on the engine’s machine.'),
  internal_ports: z
    .array(
      z.strictObject({
        name: z.string().optional(),
        port,
        protocol: z.enum(['http', 'tcp', 'udp']).optional(),
        public: z.boolean().optional().describe('Published too.'),
      }),
    )
    .optional()
    .describe('Others in the network reach every port; this only publishes.'),
  protocol: z.enum(['http', 'tcp']).optional(),
  instance_count: z.int().min(1).optional(),
  env_vars: variables.optional(),
  env_vars_secret: variables.optional().describe('Values are secret:// references.'),
  vpc_ref: z.string().min(1).optional().describe('The network that it is in.'),
  health_check: healthCheck.optional(),
  termination: z.strictObject({ drain_seconds: seconds.optional(), grace_period_seconds: seconds.optional() }).optional(),
  region: z.string().optional().describe('Means nothing here.'),
  cpu: cpu.optional(),
  memory: memory.optional(),
  provider_specific: z
    .strictObject({
      command: z.array(z.string()).min(1).optional().describe('Arguments for the image’s entrypoint.'),
      host_port: port.optional().describe('Where http_port is published; for one instance only. Default: a free one.'),
      health_command: z.array(z.string()).min(1).optional().describe('A program in the container whose success means health.'),
      volumes: z
        .array(z.strictObject({ volume: z.string().min(1), target: z.string().regex(/^\/./), read_only: z.boolean().optional() }))
        .optional(),
    })
    .optional(),
});

type Config = z.infer<typeof schema>;

export const containerService: WorkloadType = {
  type: 'infra.container_service',
  schema,
  rules: { forceNew: [] },
  sensitive: [],
  workload: (spec) => {
    const config = readConfig(schema, spec);
    const { provider_specific: own = {}, http_port: http, instance_count: instances = 1 } = config;
    const health = healthOf(config);
    return {
      image: config.image,
      ...(config.run_command === undefined ? {} : { entrypoint: ['/bin/sh', '-c', config.run_command] }),
      ...(own.command === undefined ? {} : { command: own.command }),
      env: { ...config.env_vars, ...config.env_vars_secret },
      ports: [
        ...(http === undefined
          ? []
          : [{ container: http, protocol: 'tcp' as const, ...(own.host_port === undefined ? {} : { host: own.host_port }) }]),
        ...(config.internal_ports ?? [])
          .filter((one) => one.public === true && one.port !== http)
          .map((one) => ({ container: one.port, protocol: one.protocol === 'udp' ? ('udp' as const) : ('tcp' as const) })),
      ],
      ...(config.vpc_ref === undefined ? {} : { network: config.vpc_ref }),
      mounts: (own.volumes ?? []).map((one) => ({ volume: one.volume, target: one.target, readOnly: one.read_only === true })),
      ...(config.cpu === undefined ? {} : { cpus: Number(config.cpu) }),
      ...(config.memory === undefined ? {} : { memory: bytes(config.memory) }),
      ...(health === undefined ? {} : { health }),
      instances,
      grace: config.termination?.grace_period_seconds ?? defaultGrace,
    };
  },
  outputs: ({ config, host, portOf, external }) => {
    const http = config['http_port'];
    if (typeof http !== 'number') return { host };
    const outside = external(http);
    return {
      host,
      port: portOf(http),
      endpoint: `http://${host}:${portOf(http)}`,
      ...(outside === undefined
        ? {}
        : {
            external_host: outside.host,
            external_port: outside.port,
            external_endpoint: `http://${outside.host}:${outside.port}`,
          }),
    };
  },
};

function healthOf({ health_check: check, provider_specific: own, http_port: http }: Config): HealthCheck | undefined {
  const test = own?.health_command === undefined ? testOf(check, http) : ['CMD', ...own.health_command];
  if (test === undefined) return undefined;
  return {
    test,
    interval: (check?.period_seconds ?? 1) * 1_000,
    timeout: (check?.timeout_seconds ?? 5) * 1_000,
    startPeriod: (check?.initial_delay_seconds ?? 10) * 1_000,
    retries: check?.failure_threshold ?? 10,
  };
}

function testOf(check: Config['health_check'], http: number | undefined): readonly string[] | undefined {
  if (check?.http_path !== undefined) {
    const url = `http://127.0.0.1:${check.port ?? http ?? 80}${check.http_path}`.replaceAll("'", '%27');
    return ['CMD-SHELL', `wget -q -O /dev/null '${url}' || curl -fsS -o /dev/null '${url}'`];
  }
  const tcp = check?.tcp_port ?? (check === undefined ? undefined : (check.port ?? http));
  return tcp === undefined ? undefined : ['CMD-SHELL', `nc -z 127.0.0.1 ${tcp}`];
}
