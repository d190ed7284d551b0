import type { DriverSample, DriverSubject, DriverWorld } from './world.ts';

export interface DriverScenario {
  /** Also the name by which a subject's `skips` refers to it. */
  readonly name: string;
  /** Whether there is anything to try; always when absent. */
  readonly applies?: (sample: DriverSample, subject: DriverSubject) => boolean;
  readonly run: (world: DriverWorld) => Promise<void>;
}
