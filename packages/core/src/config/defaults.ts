import type { Environment } from './types.ts';

export const defaultTtl = 24 * 3_600_000;
export const defaultGrace = 10_000;

/** Providers that need nothing to be written down: each is an environment of its own name, with or without a config. */
const readyMade = ['local', 'docker'];

/** The environments that exist without any config. */
export function defaultEnvironments(providers: ReadonlyMap<string, unknown>): Map<string, Environment> {
  const names = readyMade.filter((name) => providers.has(name));
  return new Map(names.map((name) => [name, plainEnvironment(name)]));
}

function plainEnvironment(name: string): Environment {
  return {
    name,
    provider: name,
    options: {},
    resources: {},
    env: {},
    secretEnv: {},
    lease: { policy: 'fresh', ttl: defaultTtl },
    grace: defaultGrace,
    labels: {},
    ...(name !== 'local' && { unwritten: true }),
  };
}
