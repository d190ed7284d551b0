// What `--json` prints of infrastructure. Names here are a promise to scripts; sensitive values never come out of here.
import type { Json } from '@errand/contract';
import type { Action, ApplyEvent, ApplyResult, Plan, PlannedChange, ResourceRecord, StackLock, StateHead } from '@errand/core';
import { iso } from '../time.ts';
import { masked, SENSITIVE } from './value.ts';

export function planDocument(plan: Plan) {
  const { id, stack, lineage, serial, purpose, desiredHash, inputs, providers, diagnostics, unchanged, excluded } = plan;
  return {
    format: plan.format,
    id,
    createdAt: iso(plan.createdAt),
    stack,
    lineage,
    serial,
    purpose,
    desiredHash,
    inputs,
    providers,
    actions: plan.actions.map(actionDocument),
    drift: plan.drift.map((one) => ({ ...one, changes: one.changes.map(changeDocument) })),
    outputs: Object.fromEntries(
      Object.entries(plan.outputs).map(([name, one]) => [name, { ...one, value: one.sensitive ? SENSITIVE : masked(one.value) }]),
    ),
    diagnostics,
    unchanged,
    excluded,
  };
}

function actionDocument(action: Action) {
  return {
    ...action,
    desired: action.desired && { ...action.desired, config: masked(action.desired.config) },
    current: action.current && recordDocument(action.current),
    changes: action.changes.map(changeDocument),
  };
}

function changeDocument(change: PlannedChange) {
  if (!change.sensitive) return { ...change, ...field('old', change.old), ...field('new', change.new) };
  const hidden = (value: Json | undefined) => (value === undefined ? undefined : SENSITIVE);
  return { ...change, ...field('old', hidden(change.old)), ...field('new', hidden(change.new)) };
}

function field(name: 'old' | 'new', value: Json | undefined) {
  return value === undefined ? {} : { [name]: masked(value) };
}

export function recordDocument(record: ResourceRecord) {
  const outputs = Object.entries(record.outputs).map(([name, value]) => [
    name,
    record.sensitive.includes(name) ? SENSITIVE : masked(value),
  ]);
  return {
    ...record,
    config: masked(record.config),
    outputs: Object.fromEntries(outputs) as Readonly<Record<string, Json>>,
    deposed: record.deposed.map(({ key, providerId }) => ({ key, providerId })),
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    ...(record.driftCheckedAt !== undefined && { driftCheckedAt: iso(record.driftCheckedAt) }),
  };
}

export function headDocument({ stack, lineage, serial, updatedAt }: StateHead) {
  return { stack, lineage, serial, updatedAt: iso(updatedAt) };
}

export function lockDocument({ stack, owner, holder, reason, takenAt, heldUntil }: StackLock) {
  return { stack, owner, holder, reason, takenAt: iso(takenAt), heldUntil: iso(heldUntil) };
}

export function eventDocument(event: ApplyEvent) {
  if (event.kind === 'ended') return { event: 'ended', ...event.outcome };
  const { kind, ...rest } = event;
  return { event: kind, ...rest, ...('at' in rest && { at: iso(rest.at) }) };
}

export function resultDocument(result: ApplyResult, exitStatus: number) {
  return { result: { ...result, exitStatus } };
}
