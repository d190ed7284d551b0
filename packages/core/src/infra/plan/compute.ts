// The plan: what is wanted against what is recorded and seen. Changes nothing; asks drivers to read and compare.
import type { Diagnostic } from '@errand/contract';
import { sameJson } from '../../base/same-json.ts';
import type { Plan } from '../../model/infra/plan.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import type { DeclaredResource } from '../../model/infra/stack.ts';
import { circleIn, sortGraph, type Graph } from '../declare/graph.ts';
import { stackHash } from '../hash/hash.ts';
import { checkOrders, checkResources, problem } from './check.ts';
import { decide, type Decided } from './decide.ts';
import { draftRemoval, draftWanted, isProtected, type Draft } from './draft.ts';
import { invalid } from './failures.ts';
import { orderActions } from './order.ts';
import { planOutputs } from './outputs.ts';
import { openProviders, type OpenProviders } from './providers.ts';
import { refresh, type Refreshed } from './refresh.ts';
import { createSizing } from './sizing.ts';
import { createsFirstIn } from './spread.ts';
import { scopeOf } from './target.ts';
import type { PlanInput } from './types.ts';
import { validatePlan } from './validate.ts';
import { createViews } from './views.ts';

/** Throws `infra/invalid` with every problem in what was written, or the first driver's error. */
export async function computePlan(input: PlanInput): Promise<Plan> {
  const { stack, state, options = {} } = input;
  const purpose = options.purpose ?? 'apply';
  const wantedAll: ReadonlyMap<string, DeclaredResource> = purpose === 'destroy' ? new Map() : stack.resources;
  const declared: Graph = new Map([...wantedAll].map(([name, one]) => [name, one.dependsOn]));
  const { sorted, left } = sortGraph(declared);
  const circle = circleIn(declared, left);
  if (circle) throw invalid(stack.name, [circular(stack.resources.get(circle[0] ?? ''), circle)]);
  const scope = scopeOf(stack, state, options);
  const wanted = [...wantedAll.values()].filter((one) => scope.wanted(one.name));
  const isLeaving = (record: ResourceRecord) => !wantedAll.has(record.name) && scope.deletable(record.name);
  const records = [...state.resources.values()].filter((one) =>
    wantedAll.has(one.name) ? scope.wanted(one.name) : isLeaving(one),
  );

  const diagnostics: Diagnostic[] = [];
  const providers = await openNeeded(input, wanted, records, diagnostics);
  diagnostics.push(...(await checkResources(providers, wanted)), ...checkRecords(providers, records.filter(isLeaving)));
  stopOnErrors(stack.name, diagnostics);

  const looked: Refreshed =
    options.refresh === false
      ? { seen: new Map(records.map((record) => [record.name, { record, ghost: false }])), changed: [], drift: [] }
      : await refresh(input, providers, records);
  const { seen } = looked;
  const views = createViews(input, { providers, scope, seen });
  const sized = createSizing(providers, input.ask);
  const decided = await decide(input, { providers, scope, seen, views, sized, sorted }, diagnostics);
  const outputs = purpose === 'destroy' ? {} : planOutputs(stack, views, diagnostics);
  const createsFirst = createsFirstIn(wantedAll, sorted);
  diagnostics.push(...checkOrders(providers, decided.values(), createsFirst));
  stopOnErrors(stack.name, diagnostics);

  const drafts: Draft[] = [];
  const refreshed = new Map(looked.changed.map((record) => [record.name, record]));
  let unchanged = 0;
  for (const one of decided.values()) {
    const draft = draftWanted(input, { providers, views, createsFirst }, one);
    if (draft) drafts.push(draft);
    if (one.verdict.kind !== 'none') continue;
    unchanged += 1;
    const moved = describedAnew(one, createsFirst(one.candidate.resource.name));
    if (moved) refreshed.set(moved.name, moved);
  }
  const because = purpose === 'destroy' ? 'the stack is to be destroyed' : 'it is no longer in the configuration';
  for (const record of records.filter(isLeaving)) {
    const now = seen.get(record.name);
    drafts.push(draftRemoval(now?.record ?? record, now?.ghost ?? false, because));
  }
  const recorded: Graph = new Map([...state.resources].map(([name, record]) => [name, record.dependencies]));
  const plan: Plan = {
    format: 1,
    id: input.id,
    createdAt: input.now,
    stack: stack.name,
    lineage: state.lineage,
    serial: state.serial,
    desiredHash: stackHash(stack),
    inputs: Object.fromEntries(stack.inputs),
    providers: providers.list,
    purpose,
    actions: orderActions({ drafts, declared, sorted, recorded }),
    refreshed: [...refreshed.values()],
    drift: looked.drift,
    outputs,
    diagnostics,
    unchanged,
    excluded: scope.excluded,
  };
  const judged = await validatePlan(input, providers, plan);
  return judged.length === 0 ? plan : { ...plan, diagnostics: [...diagnostics, ...judged] };
}

async function openNeeded(
  input: PlanInput,
  wanted: readonly DeclaredResource[],
  records: readonly ResourceRecord[],
  diagnostics: Diagnostic[],
): Promise<OpenProviders> {
  const needed = new Map<string, { readonly name: string; readonly use: string }>();
  const lost = new Map<string, string[]>();
  for (const { provider, name, origin } of wanted) {
    const known = input.stack.providers.get(provider);
    if (known) needed.set(provider, known);
    else diagnostics.push(problem(origin, `${name}: there is no provider '${provider}' under infra.providers`));
  }
  for (const { provider, name } of records) {
    const known = input.stack.providers.get(provider);
    if (known) needed.set(provider, known);
    else lost.set(provider, [...(lost.get(provider) ?? []), name]);
  }
  for (const [provider, names] of lost) {
    const some = `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
    const message = `the provider '${provider}' is no longer under infra.providers, but the state still has ${some} of it`;
    diagnostics.push(
      problem(undefined, message, 'Put it back until they are deleted, or forget them with `errand infra state rm`.'),
    );
  }
  stopOnErrors(input.stack.name, diagnostics);
  return openProviders(input, needed);
}

function checkRecords(providers: OpenProviders, records: readonly ResourceRecord[]): readonly Diagnostic[] {
  return records
    .filter((record) => !providers.driver(record.provider, record.type))
    .map((record) => {
      const message = `${record.name}: it is to be deleted, but the provider '${record.provider}' has no type '${record.type}'`;
      return problem(undefined, message, 'Use a version of the provider that has it, or forget it with `errand infra state rm`.');
    });
}

/** The record with what the file says of it now, where that is no business of the provider; undefined when it says so already. */
function describedAnew({ candidate: { resource, seen } }: Decided, createBeforeDestroy: boolean): ResourceRecord | undefined {
  if (!seen) return undefined;
  const said = { protected: isProtected(resource), createBeforeDestroy, dependencies: resource.dependsOn };
  const { record } = seen;
  const same =
    record.protected === said.protected &&
    record.createBeforeDestroy === createBeforeDestroy &&
    (sameJson(record.dependencies, said.dependencies) || sameJson(record.dependencies.toSorted(), said.dependencies.toSorted()));
  return same ? undefined : { ...record, ...said };
}

function circular(resource: DeclaredResource | undefined, circle: readonly string[]): Diagnostic {
  return problem(resource?.origin, `the resources depend on each other in a circle: ${circle.join(' → ')}`);
}

function stopOnErrors(stack: string, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.some((one) => one.severity === 'error')) throw invalid(stack, diagnostics);
}
