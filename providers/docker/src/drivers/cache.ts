import { z } from 'zod';
import { bytes, cpu, memory, port, readConfig } from './config.ts';
import { defaultGrace } from './workload-driver.ts';
import type { WorkloadType } from './workload.ts';

const own = 6379;

const schema = z.strictObject({
  engine: z.enum(['redis', 'valkey']).optional().describe('Default: redis.'),
  version: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional()
    .describe('A tag of the engine’s image. Default: 7-alpine; of valkey: 8-alpine.'),
  image: z.string().min(1).optional().describe('Another image that is used like the engine’s own.'),
  vpc_ref: z.string().min(1).optional().describe('The network that it is in.'),
  region: z.string().optional().describe('Means nothing here.'),
  cpu: cpu.optional(),
  memory: memory.optional(),
  provider_specific: z
    .strictObject({ host_port: port.optional().describe('Where it is published on the engine’s machine. Default: a free one.') })
    .optional(),
});

export const cache: WorkloadType = {
  type: 'infra.cache',
  schema,
  rules: { forceNew: ['engine'], defaults: { engine: 'redis' } },
  sensitive: [],
  workload: (spec) => {
    const config = readConfig(schema, spec);
    const { engine = 'redis' } = config;
    const version = config.version ?? (engine === 'redis' ? '7-alpine' : '8-alpine');
    const host = config.provider_specific?.host_port;
    const image = engine === 'redis' ? `redis:${version}` : `valkey/valkey:${version}`;
    return {
      image: config.image ?? image,
      env: {},
      ports: [{ container: own, protocol: 'tcp', ...(host === undefined ? {} : { host }) }],
      ...(config.vpc_ref === undefined ? {} : { network: config.vpc_ref }),
      mounts: [],
      ...(config.cpu === undefined ? {} : { cpus: Number(config.cpu) }),
      ...(config.memory === undefined ? {} : { memory: bytes(config.memory) }),
      health: {
        test: ['CMD-SHELL', `${engine}-cli -h 127.0.0.1 ping | grep -q PONG`],
        interval: 1_000,
        timeout: 5_000,
        startPeriod: 10_000,
        retries: 10,
      },
      instances: 1,
      grace: defaultGrace,
    };
  },
  outputs: ({ host, portOf, external }) => {
    const outside = external(own);
    return {
      host,
      port: portOf(own),
      uri: `redis://${host}:${portOf(own)}`,
      external_host: outside?.host ?? '',
      external_port: outside?.port ?? 0,
      external_uri: outside === undefined ? '' : `redis://${outside.host}:${outside.port}`,
    };
  },
};
