import type { Json } from '@errand/contract';

/** Something that happened, written in the same transaction as the change it tells of; never altered. */
export interface StoredEvent {
  readonly seq: number;
  readonly at: number;
  readonly subject: 'run' | 'lease';
  readonly id: string;
  readonly type: string;
  readonly data: Json;
}
