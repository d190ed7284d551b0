import { ErrandError } from '@errand/contract';

/** How many jobs may run at once. A job that is asked for twice has one slot. */
export interface Slots {
  /** `provider/capacity` when all are taken; false when this job has one already. */
  take(key: string): boolean;
  /** For a job that runs already, whatever the limit says. */
  adopt(key: string): void;
  free(key: string): void;
}

export function createSlots(most: number): Slots {
  const taken = new Set<string>();
  return {
    take(key) {
      if (taken.has(key)) return false;
      if (taken.size >= most) {
        throw new ErrandError('provider/capacity', `the agent runs ${taken.size} jobs, and its policy allows ${most} at once`, {
          next: 'Try again later, or ask whoever runs the agent to raise policy.concurrency.',
        });
      }
      taken.add(key);
      return true;
    },
    adopt: (key) => void taken.add(key),
    free: (key) => void taken.delete(key),
  };
}
