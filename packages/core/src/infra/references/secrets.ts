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

/** The version of each secret in the config; undefined when it has none that is known. */
export function secretVersions(config: Json, inputs: ReadonlyMap<string, string>): Readonly<Record<string, string>> | undefined {
  const known = writtenSecrets(config).flatMap(({ reference }) => {
    const version = inputs.get(reference);
    return version === undefined ? [] : [[reference, version] as const];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** Of those that were applied, the ones that have another version now. */
export function newSecrets(applied: Readonly<Record<string, string>>, inputs: ReadonlyMap<string, string>): ReadonlySet<string> {
  return new Set(
    Object.entries(applied).flatMap(([reference, version]) =>
      (inputs.get(reference) ?? version) === version ? [] : [reference],
    ),
  );
}
