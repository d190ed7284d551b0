import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PlanView } from '@errand/contract';
import type { IaCPlan as PlanMessage, IaCPlanSchema } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { Malformed, required } from '../wire/malformed.ts';
import { optional } from '../wire/values.ts';
import { readChange, readSpec, sendChange, sendSpec } from './resource-values.ts';
import { readState, sendState } from './state-values.ts';
import { readTime, sendTime } from './times.ts';

type Action = PlanView['actions'][number]['action'];

/** The plain form. The other one has references that are still open, and ours never has. */
const schemaVersion = 1;

export function sendPlan(plan: PlanView): MessageInitShape<typeof IaCPlanSchema> {
  return {
    id: plan.id,
    desiredHash: plan.desiredHash,
    schemaVersion,
    inputSnapshot: { ...plan.inputs },
    ...optional({ createdAt: sendTime(plan.createdAt) }),
    actions: plan.actions.map(({ action, resource, current, changes, resolvedConfigHash }) => ({
      action,
      resource: sendSpec(resource),
      changes: changes.map(sendChange),
      resolvedConfigHash,
      ...(current && { current: sendState(current) }),
    })),
  };
}

export function readPlan(message: PlanMessage | undefined): PlanView {
  const { id, actions, createdAt, desiredHash, inputSnapshot } = required(message, 'the plan');
  return {
    id,
    createdAt: readTime(createdAt) ?? 0,
    desiredHash,
    inputs: inputSnapshot,
    actions: actions.map(({ action, resource, current, changes, resolvedConfigHash }) => ({
      action: readAction(action),
      resource: readSpec(resource),
      changes: changes.map(readChange),
      resolvedConfigHash,
      ...(current && { current: readState(current) }),
    })),
  };
}

function readAction(text: string): Action {
  if (text === 'create' || text === 'update' || text === 'replace' || text === 'delete') return text;
  throw new Malformed(`an action of the plan is ${JSON.stringify(text)}`);
}
