import type { Json } from '@errand/contract';
import { mapLeaves } from './walk.ts';

/**
 * The `secret://` references that a person wrote, with their paths. Only these may be opened for a driver: an output that
 * merely looks like one comes from outside, and would read whatever secret it names.
 */
export function writtenSecrets(config: Json): readonly { readonly reference: string; readonly path: string }[] {
  const found: { readonly reference: string; readonly path: string }[] = [];
  mapLeaves(config, '', (leaf, path) => {
    if (typeof leaf === 'string' && leaf.startsWith('secret://')) found.push({ reference: leaf, path });
    return leaf;
  });
  return found;
}
