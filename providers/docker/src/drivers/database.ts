import type { Json } from '@errand/contract';
import { z } from 'zod';
import { bytes, cpu, memory, port, readConfig } from './config.ts';
import type { WorkloadType } from './workload.ts';

const own = 5432;
const data = '/var/lib/postgresql/data';
const identifier = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'must be letters, digits and _');

const schema = z.strictObject({
  engine: z.enum(['postgres', 'postgresql', 'pg']).optional().describe('Default: postgres.'),
  version: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional()
    .describe('A tag of the image `postgres`. Default: 17. What is stored does not follow to another major version.'),
  image: z.string().min(1).optional().describe('Another image that is used like `postgres`.'),
  database: identifier.optional().describe('Default: app.'),
  user: identifier.optional().describe('Default: app.'),
  vpc_ref: z.string().min(1).optional().describe('The network that it is in.'),
  region: z.string().optional().describe('Means nothing here.'),
  cpu: cpu.optional(),
  memory: memory.optional(),
  provider_specific: z
    .strictObject({ host_port: port.optional().describe('Where it is published on the engine’s machine. Default: a free one.') })
    .optional(),
});

const nameIn = (value: Json | undefined) => (typeof value === 'string' ? value : 'app');

/** PostgreSQL with a password that nobody chose. The volume with the data carries it, so that it outlives the container. */
export const database: WorkloadType = {
  type: 'infra.database',
  schema,
  rules: { forceNew: ['engine', 'database', 'user'], defaults: { engine: 'postgres', database: 'app', user: 'app' } },
  sensitive: ['password', 'uri', 'external_uri'],
  data,
  workload: (spec, password) => {
    const config = readConfig(schema, spec);
    const { database: name = 'app', user = 'app' } = config;
    const host = config.provider_specific?.host_port;
    return {
      image: config.image ?? `postgres:${config.version ?? '17'}`,
      // A directory of its own below the mount: the volume's root may have a lost+found.
      env: { POSTGRES_USER: user, POSTGRES_DB: name, POSTGRES_PASSWORD: password, PGDATA: `${data}/pgdata` },
      ports: [{ container: own, protocol: 'tcp', ...(host === undefined ? {} : { host }) }],
      ...(config.vpc_ref === undefined ? {} : { network: config.vpc_ref }),
      mounts: [],
      ...(config.cpu === undefined ? {} : { cpus: Number(config.cpu) }),
      ...(config.memory === undefined ? {} : { memory: bytes(config.memory) }),
      // Over TCP: while it is set up for the first time it listens on its socket only.
      health: {
        test: ['CMD', 'pg_isready', '-q', '-h', '127.0.0.1', '-U', user, '-d', name],
        interval: 1_000,
        timeout: 5_000,
        startPeriod: 60_000,
        retries: 10,
      },
      instances: 1,
      grace: 30,
    };
  },
  outputs: ({ config, host, portOf, external, password }) => {
    const [user, name] = [nameIn(config['user']), nameIn(config['database'])];
    const uri = (at: string, number: number) => `postgres://${user}:${password}@${at}:${number}/${name}`;
    const outside = external(own);
    return {
      host,
      port: portOf(own),
      name,
      database: name,
      user,
      password,
      uri: uri(host, portOf(own)),
      external_host: outside?.host ?? '',
      external_port: outside?.port ?? 0,
      external_uri: outside === undefined ? '' : uri(outside.host, outside.port),
    };
  },
};
