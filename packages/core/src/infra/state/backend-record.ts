// How a record of ours looks in a plugin's state backend: its own fields where it has them, the rest under one key of the
// outputs, so that other programs that read the backend see what they expect.
import type { Attributes, BackendRecord } from '@errand/contract';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { corrupt } from '../../store/infra/rows.ts';

const ours = '$errand';
const plain = 'default';

export function headId(stack: string): string {
  return `errand.head.${stack}`;
}

/** Names of resources have no dots. */
export function resourceId(stack: string, name: string): string {
  return stack === plain ? name : `${stack}.${name}`;
}

export function isOf(stack: string, id: string): boolean {
  if (id.startsWith('errand.head.')) return false;
  return stack === plain ? !id.includes('.') : id.startsWith(`${stack}.`) && !id.slice(stack.length + 1).includes('.');
}

export function toBackend(stack: string, record: ResourceRecord): BackendRecord {
  const { name, type, provider, use, providerId, config, configHash, outputs, status, dependencies, ...rest } = record;
  const extra = JSON.parse(JSON.stringify({ ...rest, status })) as Attributes;
  return {
    resourceId: resourceId(stack, name),
    resourceType: type,
    provider: use,
    providerRef: provider,
    providerId,
    configHash,
    config,
    dependencies,
    status: 'active',
    outputs: { ...outputs, [ours]: extra },
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    error: '',
  };
}

/** One that another program wrote has nothing of ours; it counts as imported. */
export function fromBackend(stack: string, from: BackendRecord): ResourceRecord {
  const name = from.resourceId.slice(stack === plain ? 0 : stack.length + 1);
  if (name === '' || from.resourceType === '') throw corrupt(`a record of stack ${stack} in the state backend`);
  const { [ours]: extra, ...outputs } = from.outputs;
  const known = (extra ?? {}) as Partial<ResourceRecord>;
  return {
    name,
    type: from.resourceType,
    provider: from.providerRef || from.provider,
    use: from.provider,
    providerId: from.providerId,
    config: from.config,
    configHash: from.configHash,
    ...(known.secrets !== undefined && { secrets: known.secrets }),
    source: known.source ?? 'import',
    outputs,
    sensitive: known.sensitive ?? [],
    status: known.status ?? '',
    dependencies: from.dependencies,
    protected: known.protected ?? false,
    createBeforeDestroy: known.createBeforeDestroy ?? false,
    ...(known.owner !== undefined && { owner: known.owner }),
    createdAt: known.createdAt ?? timeOf(from.createdAt),
    updatedAt: known.updatedAt ?? timeOf(from.updatedAt),
    ...(known.driftCheckedAt !== undefined && { driftCheckedAt: known.driftCheckedAt }),
    deposed: known.deposed ?? [],
    tainted: known.tainted ?? false,
  };
}

function timeOf(text: string): number {
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : at;
}
