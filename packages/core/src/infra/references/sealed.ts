import type { Json } from '@errand/contract';
import type { Sealed } from '../../model/infra/record.ts';

export function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && '$sealed' in value && '$fingerprint' in value;
}

/** Seals and opens values. Plaintext exists only in memory, for as long as a call needs it. */
export interface Vault {
  readonly seal: (value: Json) => Sealed;
  readonly open: (sealed: Sealed) => Json;
}
