import type { Attributes, ResourceOutput } from '@errand/contract';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { isSealed, openAll } from './seal.ts';
import type { Sealer } from './seal.ts';

/** Seals the named outputs; those that are sealed already stay as they are. */
export function sealOutputs(sealer: Sealer, outputs: Attributes, sensitive: Iterable<string>): Attributes {
  let result: Record<string, Attributes[string]> | undefined;
  for (const name of sensitive) {
    const value = outputs[name];
    if (value === undefined || value === null || isSealed(value)) continue;
    result ??= { ...outputs };
    result[name] = { ...sealer.seal(value) };
  }
  return result ?? outputs;
}

/** The recorded resource as its driver knows it, in clear: in memory only. */
export function outputOfRecord(sealer: Pick<Sealer, 'open'>, record: ResourceRecord): ResourceOutput {
  return {
    name: record.name,
    type: record.type,
    providerId: record.providerId,
    outputs: openAll(sealer, record.outputs) as Attributes,
    sensitive: record.sensitive,
    status: record.status,
  };
}
