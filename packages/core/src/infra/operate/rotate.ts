import type { Call } from '@errand/contract';
import type { Action } from '../../model/infra/plan.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { keyOf } from '../apply/intent.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts } from '../apply/session.ts';
import { performStep } from '../apply/step.ts';
import { escapeAll } from '../references/resolve.ts';
import { recorded } from './state.ts';

export interface Rotated {
  readonly record: ResourceRecord;
  readonly revoked: boolean;
  readonly problem?: string;
}

const always = async () => true;

/**
 * Mints the new credential beside the old one, records it, and revokes the old one last. When that fails, the old one
 * stays with the record as an earlier self, and the next apply deletes it.
 */
export async function rotate(parts: InfraParts, name: string): Promise<Rotated> {
  const { value } = await withStack(parts, { by: `rotate ${name}` }, async ({ context, state }) => {
    const old = recorded(state, name);
    const key = `r${state.serial}`;
    const action = rotation(old, key);
    const [mint, drop] = action.steps;
    if (!mint || !drop) return { record: old, revoked: false };
    await (
      await performStep(context, action, mint, always)
    ).lasting;
    const record = recorded({ stack: parts.stack.name, resources: context.live }, name);
    try {
      const { credentialRevoker } = await parts.infraOf(old.provider);
      const call: Call = {
        key: keyOf(context, name, `revoke ${key}`),
        epoch: context.epoch,
        signal: context.signal,
        log: () => {},
      };
      await credentialRevoker?.revoke(old.type, old.providerId, call);
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
