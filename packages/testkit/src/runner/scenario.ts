import type { Capabilities } from '@errand/contract';
import type { RunnerWorld } from './world.ts';

export interface RunnerScenario {
  /** Also the name by which a backend's `skips` refers to it. */
  readonly name: string;
  /** Why a backend with these capabilities is not asked; undefined when it is. */
  readonly unless?: (capabilities: Capabilities, world: RunnerWorld) => string | undefined;
  run(world: RunnerWorld): Promise<void>;
}

export const needsPlace = (_: Capabilities, world: RunnerWorld) => (world.place ? undefined : 'the provider has no places');
export const needsLiveLogs = (has: Capabilities) => (has.liveLogs ? undefined : 'its logs cannot be followed live');

export function needsLivePlace(has: Capabilities, world: RunnerWorld): string | undefined {
  return needsPlace(has, world) ?? needsLiveLogs(has);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
