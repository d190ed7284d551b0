import type { PlanDiagnostic, PlanView, ResourceSpec, ResourceState } from '@errand/contract';
import type { Action, Plan } from '../../model/infra/plan.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { configHash } from '../hash/hash.ts';
import { isSealed } from '../references/sealed.ts';
import type { OpenProviders } from './providers.ts';
import type { PlanInput } from './types.ts';

type Judged = PlanDiagnostic & { readonly provider: string };

/** Each provider that validates sees its own actions. A validator that fails, fails the plan: silence is not consent. */
export async function validatePlan(
  input: Pick<PlanInput, 'ask'>,
  providers: OpenProviders,
  plan: Pick<Plan, 'id' | 'createdAt' | 'desiredHash' | 'inputs' | 'actions'>,
): Promise<readonly Judged[]> {
  const validators = [...providers.opened].flatMap(([provider, { infra }]) =>
    infra.validator ? [{ provider, validator: infra.validator }] : [],
  );
  const answers = validators.map(async ({ provider, validator }) => {
    const { id, createdAt, desiredHash, inputs } = plan;
    const actions = plan.actions.filter((action) => action.provider === provider).flatMap(viewOf);
    const said = await validator.validate({ id, createdAt, desiredHash, inputs, actions }, input.ask);
    return said.map((one) => ({ ...one, provider }));
  });
  return (await Promise.all(answers)).flat();
}

function viewOf(action: Action): PlanView['actions'] {
  const { kind, current, changes, desired } = action;
  if (kind === 'forget' || kind === 'read') return [];
  return [
    {
      action: kind,
      resource: specOf(action),
      ...(current && { current: stateOf(current) }),
      changes,
      resolvedConfigHash: desired ? configHash(desired.config) : '',
    },
  ];
}

function specOf({ resource: name, type, desired, current }: Action): ResourceSpec {
  return {
    name,
    type,
    config: desired?.config ?? {},
    ...(desired?.size === undefined ? {} : { size: desired.size }),
    ...(desired?.hints === undefined ? {} : { hints: desired.hints }),
    dependsOn: desired?.dependsOn ?? current?.dependencies ?? [],
  };
}

/** As providers see it; sealed values are left out. */
function stateOf(record: ResourceRecord): ResourceState {
  const open = (attributes: ResourceRecord['outputs']) =>
    Object.fromEntries(Object.entries(attributes).filter(([, value]) => !isSealed(value)));
  return {
    id: record.name,
    name: record.name,
    type: record.type,
    provider: record.use,
    providerRef: record.provider,
    providerId: record.providerId,
    configHash: record.configHash,
    appliedConfig: open(record.config),
    appliedConfigSource: record.source,
    outputs: open(record.outputs),
    dependencies: record.dependencies,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}
