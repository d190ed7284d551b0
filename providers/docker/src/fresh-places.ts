import type { Place } from './place.ts';

/**
 * Places as they were when this process acquired them a moment ago. Good enough to make a job's container with: before
 * that is started, the place is looked at once more.
 */
export interface FreshPlaces {
  put(place: Place): void;
  /** Once, since after that somebody else may have been at it. */
  take(name: string): Place | undefined;
}

const freshFor = 2_000;
const most = 1_000;

export function createFreshPlaces(): FreshPlaces {
  const places = new Map<string, { readonly at: number; readonly place: Place }>();
  return {
    put(place) {
      const [oldest] = places.keys();
      if (oldest !== undefined && places.size >= most) places.delete(oldest);
      places.set(place.name, { at: Date.now(), place });
    },
    take(name) {
      const kept = places.get(name);
      places.delete(name);
      return kept && Date.now() - kept.at < freshFor ? kept.place : undefined;
    },
  };
}
