import type { Json } from './json.ts';

/**
 * A provider's value for something it made: opaque to everybody else, serialisable, free of secrets, and enough
 * for a fresh process to wait, follow, stop and clean up. `version` lets a newer provider read older handles.
 */
export interface Handle<K extends 'place' | 'job' = 'place' | 'job'> {
  readonly kind: K;
  readonly provider: string;
  readonly version: number;
  readonly state: Json;
}

/** A thing that was asked for under `key`; the handle is absent when the answer was never heard. */
export interface Ref<K extends 'place' | 'job'> {
  readonly key: string;
  readonly handle?: Handle<K>;
}
