import { z } from 'zod';
import { port, readConfig } from './config.ts';
import { defaultGrace } from './workload-driver.ts';
import type { WorkloadType } from './workload.ts';

const own = 5000;

const schema = z.strictObject({
  image: z.string().min(1).optional().describe('Another image that is used like registry:2.'),
  vpc_ref: z.string().min(1).optional().describe('The network that it is in.'),
  region: z.string().optional().describe('Means nothing here.'),
  provider_specific: z
    .strictObject({ host_port: port.optional().describe('Where it is published on the engine’s machine. Default: a free one.') })
    .optional(),
});

/** Images are pushed to and pulled from `endpoint`, which is on the engine's machine. */
export const registry: WorkloadType = {
  type: 'infra.registry',
  schema,
  rules: { forceNew: [] },
  sensitive: [],
  data: '/var/lib/registry',
  workload: (spec) => {
    const config = readConfig(schema, spec);
    const host = config.provider_specific?.host_port;
    return {
      image: config.image ?? 'registry:2',
      env: {},
      ports: [{ container: own, protocol: 'tcp', ...(host === undefined ? {} : { host }) }],
      ...(config.vpc_ref === undefined ? {} : { network: config.vpc_ref }),
      mounts: [],
      health: {
        test: ['CMD-SHELL', `wget -q -O /dev/null http://127.0.0.1:${own}/v2/`],
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
    return { host, port: portOf(own), endpoint: outside === undefined ? `${host}:${own}` : `${outside.host}:${outside.port}` };
  },
};
