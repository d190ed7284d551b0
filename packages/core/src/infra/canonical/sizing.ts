import type { Attributes, ResourceHints, Size } from '@errand/contract';

interface Allotment {
  readonly cpu: string;
  readonly memory: string;
  readonly databaseStorage: string;
  readonly cacheMemory: string;
}

/** What a size means where the provider does not say. */
export const sizingTable: Readonly<Record<Size, Allotment>> = {
  xs: { cpu: '0.25', memory: '512Mi', databaseStorage: '10Gi', cacheMemory: '256Mi' },
  s: { cpu: '1', memory: '2Gi', databaseStorage: '50Gi', cacheMemory: '1Gi' },
  m: { cpu: '2', memory: '4Gi', databaseStorage: '100Gi', cacheMemory: '4Gi' },
  l: { cpu: '4', memory: '16Gi', databaseStorage: '500Gi', cacheMemory: '16Gi' },
  xl: { cpu: '8', memory: '32Gi', databaseStorage: '1Ti', cacheMemory: '64Gi' },
};

/** Keys of the config that follow from the size; hints come before the table. */
export function defaultSizing(type: string, size: Size, hints: ResourceHints): Attributes {
  const { cpu, memory, databaseStorage, cacheMemory } = sizingTable[size];
  const table: Record<string, string> =
    type === 'infra.cache'
      ? { memory: cacheMemory }
      : { cpu, memory, ...(type === 'infra.database' && { storage: databaseStorage }) };
  const wished = Object.entries(hints).filter((one): one is [string, string] => one[1] !== undefined);
  return { ...table, ...Object.fromEntries(wished) };
}
