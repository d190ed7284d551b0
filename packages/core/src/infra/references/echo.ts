import type { Attributes, Json } from '@errand/contract';
import { isSealed, type Vault } from './sealed.ts';
import { mapLeaves } from './walk.ts';

/** Very short ones would be found everywhere. */
const shortest = 4;

/** Outputs that repeat a plaintext which was handed in as a secret: they are as sensitive as it is. */
export function echoedKeys(outputs: Attributes, plaintexts: readonly string[]): readonly string[] {
  const worth = plaintexts.filter((text) => text.length >= shortest).map((text) => JSON.stringify(text).slice(1, -1));
  if (worth.length === 0) return [];
  return Object.keys(outputs).filter((key) => {
    if (isSealed(outputs[key])) return false;
    const text = JSON.stringify(outputs[key]);
    return worth.some((one) => text.includes(one));
  });
}

/** The texts that stand sealed in a config. */
export function sealedTexts(config: Json, vault: Pick<Vault, 'open'>): readonly string[] {
  const texts: string[] = [];
  mapLeaves(config, '', (leaf) => {
    const clear = isSealed(leaf) ? vault.open(leaf) : undefined;
    if (typeof clear === 'string') texts.push(clear);
    return leaf;
  });
  return texts;
}
