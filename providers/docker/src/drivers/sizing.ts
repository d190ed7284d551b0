import type { Infra, Size } from '@errand/contract';

const table: Readonly<Record<Size, { readonly cpu: string; readonly memory: string; readonly cache: string }>> = {
  xs: { cpu: '0.25', memory: '512Mi', cache: '256Mi' },
  s: { cpu: '1', memory: '2Gi', cache: '1Gi' },
  m: { cpu: '2', memory: '4Gi', cache: '4Gi' },
  l: { cpu: '4', memory: '16Gi', cache: '16Gi' },
  xl: { cpu: '8', memory: '32Gi', cache: '64Gi' },
};

const sized: ReadonlySet<string> = new Set(['infra.container_service', 'infra.database', 'infra.cache']);

/** Limits of the containers. An engine has no limit for what a volume holds, so nothing is said about storage. */
export const sizing: NonNullable<Infra['sizing']> = async (type, size, hints) => {
  if (!sized.has(type)) return { instanceType: '', specs: {} };
  const { cpu, memory, cache } = table[size];
  const specs = { cpu: hints.cpu ?? cpu, memory: hints.memory ?? (type === 'infra.cache' ? cache : memory) };
  return { instanceType: '', specs };
};
