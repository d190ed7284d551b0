import { ErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';

export interface ManifestOptions {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  /** The provider has resources. */
  readonly infra: boolean;
  /** Names of the state backends that it keeps; they must be exactly those that it serves. */
  readonly stateBackends?: readonly string[];
}

/**
 * A `plugin.json` that every reader of the public contract takes: one wants the provider's name below `capabilities`, which
 * must be an object; another wants the way of planning at the top and no key beside it.
 */
export function pluginManifest(options: ManifestOptions): Json {
  const { name, description, author, infra, stateBackends = [] } = options;
  if (!/^[a-z][a-z0-9-]*[a-z0-9]$/.test(name)) {
    throw new ErrandError(
      'usage/invalid',
      `made a manifest for the plugin ${JSON.stringify(name)}: that is no name of a plugin`,
      {
        next: 'Begin with a lower-case letter, end with one or a digit, and use only those and dashes.',
      },
    );
  }
  return {
    name,
    version: threeNumbers(options.version),
    author,
    description,
    ...(infra && { capabilities: { iacProvider: { name } }, iacProvider: { computePlanVersion: 'v2' } }),
    ...(stateBackends.length > 0 && { iacStateBackends: stateBackends }),
  };
}

/** A version with more to it, such as `-rc.1`, is refused by some readers. */
function threeNumbers(version: string): string {
  const [, major, minor = '0', patch = '0'] = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version) ?? [];
  if (major !== undefined) return `${major}.${minor}.${patch}`;
  throw new ErrandError('usage/invalid', `made a manifest with the version ${JSON.stringify(version)}: that is no version`, {
    next: 'Use three numbers, such as 1.2.3.',
  });
}
