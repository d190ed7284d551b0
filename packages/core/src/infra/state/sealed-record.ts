import type { Attributes, Json, ResourceOutput } from '@errand/contract';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { isSealed } from '../references/sealed.ts';
import type { Vault } from '../references/sealed.ts';
import { mapLeaves, within } from '../references/walk.ts';
import { openAll } from './seal.ts';

/** Seals the named outputs; those that are sealed already stay as they are. */
export function sealOutputs(vault: Vault, outputs: Attributes, sensitive: Iterable<string>): Attributes {
  let result: Record<string, Json> | undefined;
  for (const name of sensitive) {
    const value = outputs[name];
    if (value === undefined || value === null || isSealed(value)) continue;
    result ??= { ...outputs };
    result[name] = { ...vault.seal(value) };
  }
  return result ?? outputs;
}

/** Seals what stands at the paths; `secret://` references are no secrets and stay readable. */
export function sealPaths(vault: Vault, config: Attributes, paths: readonly string[]): Attributes {
  if (paths.length === 0) return config;
  const wanted = new Set(paths);
  const walk = (value: Json, path: string): Json => {
    if (wanted.has(path)) {
      const plain = isSealed(value) || (typeof value === 'string' && value.startsWith('secret://'));
      return plain ? value : { ...vault.seal(value) };
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return (value as readonly Json[]).map((item, at) => walk(item, within(path, String(at))));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, within(path, key))]));
  };
  return walk(config, '') as Attributes;
}

/** For a hash that says nothing about sealed values and is the same for the same ones. */
export function fingerprinted(config: Attributes): Attributes {
  return mapLeaves(config, '', (leaf) => (isSealed(leaf) ? `sealed:${leaf.$fingerprint}` : leaf)) as Attributes;
}

/** The recorded resource as its driver knows it, in clear: in memory only. */
export function outputOfRecord(vault: Pick<Vault, 'open'>, record: ResourceRecord): ResourceOutput {
  return {
    name: record.name,
    type: record.type,
    providerId: record.providerId,
    outputs: openAll(vault, record.outputs),
    sensitive: record.sensitive,
    status: record.status,
  };
}
