import type { HostWorld } from './world.ts';

export interface HostScenario {
  /** Also the name by which a backend's `skips` refers to it. */
  readonly name: string;
  /** Why this backend is not asked; undefined when it is. */
  readonly unless?: (world: HostWorld) => string | undefined;
  run(world: HostWorld): Promise<void>;
}

export const needsRunner = (world: HostWorld) => (world.provider.runner ? undefined : 'the provider runs no jobs');
