import { ErrandError } from '@errand/contract';
import type { Call, CredentialRevoker } from '@errand/contract';
import type { Action } from '../../model/infra/plan.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { driverOf } from '../apply/context.ts';
import { keyOf } from '../apply/intent.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts } from '../apply/session.ts';
import { performStep } from '../apply/step.ts';
import type { Turn } from '../apply/step.ts';
import { escapeAll } from '../references/resolve.ts';
import { recorded } from './state.ts';

export interface Rotated {
  readonly record: ResourceRecord;
  readonly revoked: boolean;
  readonly problem?: string;
}

const always: Turn = { take: async () => true, isLate: () => false };

/**
 * Mints the new credential beside the old one, records it, and revokes the old one last. When that fails, the old one
 * stays with the record as an earlier self, and the next apply deletes it.
 */
export async function rotate(parts: InfraParts, name: string): Promise<Rotated> {
  const { value } = await withStack(parts, { by: `rotate ${name}` }, async ({ context, state }) => {
    const old = recorded(state, name);
    const revoker = await revokerOf(parts, old);
    const key = `r${state.serial}`;
    const action = rotation(old, key);
    const [mint, drop] = action.steps;
    if (!mint || !drop) return { record: old, revoked: false };
    await (
      await performStep(context, action, mint, always)
    ).lasting;
    const record = recorded({ stack: parts.stack.name, resources: context.live }, name);
    try {
      const call: Call = {
        key: keyOf(context, name, `revoke ${key}`),
        epoch: context.epoch,
        signal: context.signal,
        log: () => {},
      };
      await revoker.revoke(old.type, old.providerId, call);
      await (
        await performStep(context, action, drop, always)
      ).lasting;
      return { record: context.live.get(name) ?? record, revoked: true };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { record: context.live.get(name) ?? record, revoked: false, problem };
    }
  });
  return value;
}

/** Refuses, before anything is minted, what has nothing secret about it and what nobody could revoke afterwards. */
async function revokerOf(parts: InfraParts, { name, type, provider, sensitive }: ResourceRecord): Promise<CredentialRevoker> {
  const { sensitiveKeys = [] } = await driverOf(parts, provider, type);
  if (sensitive.length === 0 && sensitiveKeys.length === 0) {
    throw new ErrandError(
      'usage/invalid',
      `wanted to rotate ${name}: a ${type} has no sensitive output, so it is no credential`,
      {
        next: 'Nothing was changed. Name a credential; `errand infra state show NAME` shows what is sensitive.',
      },
    );
  }
  const { credentialRevoker } = await parts.infraOf(provider);
  if (credentialRevoker) return credentialRevoker;
  throw new ErrandError(
    'environment/unsupported',
    `wanted to rotate ${name}: the provider '${provider}' cannot revoke credentials, and the old one would stay valid`,
    { next: 'Nothing was changed. Change the credential with the tools of the platform, then run errand infra refresh.' },
  );
}

function rotation(old: ResourceRecord, key: string): Action {
  const { name, type, provider } = old;
  const mint = { id: `rotate ${name}`, do: 'create', after: [] } as const;
  const drop = { id: `delete ${name} (deposed ${key})`, do: 'delete', after: [mint.id], deposed: key } as const;
  return {
    kind: 'replace',
    resource: name,
    type,
    provider,
    because: ['it is rotated'],
    steps: [mint, drop],
    current: old,
    changes: [],
    desired: {
      config: escapeAll(old.config) as ResourceRecord['config'],
      unknown: [],
      sensitive: [],
      dependsOn: old.dependencies,
      protected: old.protected,
      createBeforeDestroy: old.createBeforeDestroy,
      adopt: false,
    },
  };
}
