import type { Environment } from './types.ts';

export const defaultTtl = 24 * 3_600_000;
export const defaultGrace = 10_000;

/** The environment that exists without any config. */
export const localEnvironment: Environment = {
  name: 'local',
  provider: 'local',
  options: {},
  resources: {},
  env: {},
  secretEnv: {},
  lease: { policy: 'fresh', ttl: defaultTtl },
  grace: defaultGrace,
  labels: {},
};
