import { ErrandError } from '@errand/contract';
import type { Infra, ResourceRef, SecretCall } from '@errand/contract';
import type { Action, Step } from '../../model/infra/plan.ts';
import type { ApplyContext } from './context.ts';

/** Before a step touches what is there. Whose it is, the platform says where it can, else the record. */
export async function claimOwnership(
  context: ApplyContext,
  infra: Infra,
  action: Action,
  step: Step,
  call: SecretCall,
): Promise<void> {
  const { owner } = context;
  const record = context.live.get(action.resource);
  if (owner === undefined || !record || step.do === 'forget' || step.do === 'create') return;
  const ref: ResourceRef = { name: record.name, type: record.type, providerId: record.providerId };
  const present = infra.ownership ? (await infra.ownership.get(ref, call)).owner : (record.owner ?? '');
  if (present === owner) return;
  if (present !== '' && !context.forceOwner) {
    throw new ErrandError('provider/refused', `wanted to ${step.do} ${record.name} for ${owner}: it belongs to ${present}`, {
      next: `Leave it to ${present}, or take it over with --force-owner.`,
    });
  }
  if (step.do !== 'delete') await infra.ownership?.set(ref, owner, call);
}

/** What was just made belongs to whoever wanted it. */
export async function noteOwner(context: ApplyContext, infra: Infra, ref: ResourceRef, call: SecretCall): Promise<void> {
  if (context.owner !== undefined) await infra.ownership?.set(ref, context.owner, call);
}
