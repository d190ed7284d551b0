// Every order there is, as edges between steps:
//   made after what it depends on                                   always
//   a replacement's two halves, in the order that was chosen        always
//   deleted after what depended on it was deleted                   else nothing that is in use could go
//   an old self deleted after its dependents moved to the new one
//   deleted after a former dependent let go of it
// Only the first two can never contradict each other. Where the others close a circle, the later ones give way.
import type { Action, Step } from '../../model/infra/plan.ts';
import type { Graph } from '../declare/graph.ts';
import { dependentsIn, reach } from '../declare/graph.ts';
import type { Draft, StepDraft } from './draft.ts';
import { sortSteps, type Edges } from './sort-steps.ts';

export interface OrderInput {
  readonly drafts: readonly Draft[];
  readonly declared: Graph;
  /** Names of `declared`, dependencies first. */
  readonly sorted: readonly string[];
  readonly recorded: Graph;
}

const must = 0;
const dependentsFirst = 1;
const afterMoving = 2;
const afterLettingGo = 3;

export function orderActions(input: OrderInput): readonly Action[] {
  const byName = new Map(input.drafts.map((draft) => [draft.action.resource, draft]));
  const edges: Edges = new Map();
  const add = (after: StepDraft | undefined, before: string, level: number) => {
    if (!after || after.id === before) return;
    const known = edges.get(after.id) ?? new Map<string, number>();
    known.set(before, Math.min(level, known.get(before) ?? level));
    edges.set(after.id, known);
  };

  const frontier = makersBefore(input, byName);
  const recordedDependents = dependentsIn(input.recorded);
  const declaredDependents = dependentsIn(input.declared);
  for (const draft of input.drafts) {
    const { action, look, make, remove, deposed } = draft;
    for (const before of make ? frontier(action.resource) : []) add(make, before, must);
    if (look) add(make, look.id, must);
    if (make && remove) add(make, remove.id, must);
    for (const old of deposed) {
      if (make?.do === 'create' && !remove) add(old, make.id, must);
      // While the record is of their type: what comes in its place may be of another.
      if (remove) add(remove, old.id, must);
    }
    for (const gone of [...(remove ? [remove] : []), ...deposed, ...(make?.do === 'replace' ? [make] : [])]) {
      for (const other of nearest(action.resource, recordedDependents, byName)) {
        for (const step of [...(other.remove ? [other.remove] : []), ...other.deposed]) add(gone, step.id, dependentsFirst);
        const needs = input.declared.get(other.action.resource) ?? [];
        if (other.make && !needs.includes(action.resource)) add(gone, other.make.id, afterLettingGo);
      }
      if (gone.deposed === undefined) continue;
      for (const other of nearest(action.resource, declaredDependents, byName)) {
        if (other.make) add(gone, other.make.id, afterMoving);
      }
    }
  }
  return assemble(input.drafts, edges);
}

/** The dependents that have steps, looking through those that have none. */
function nearest(
  name: string,
  dependents: ReadonlyMap<string, ReadonlySet<string>>,
  byName: ReadonlyMap<string, Draft>,
): readonly Draft[] {
  const first = dependents.get(name) ?? [];
  const reached = reach(first, (one) => (byName.has(one) ? [] : (dependents.get(one) ?? [])));
  reached.delete(name);
  return [...reached].flatMap((one) => byName.get(one) ?? []);
}

/** For each name, the steps that make what it depends on, looking through what is left as it is. */
function makersBefore(input: OrderInput, byName: ReadonlyMap<string, Draft>): (name: string) => readonly string[] {
  const none: readonly string[] = [];
  const before = new Map<string, readonly string[]>();
  for (const name of input.sorted) {
    let found: readonly string[] = none;
    let merged: Set<string> | undefined;
    for (const need of input.declared.get(name) ?? []) {
      const make = byName.get(need)?.make;
      const those = make ? [make.id] : (before.get(need) ?? none);
      if (those.length === 0 || those === found) continue;
      if (found.length === 0) found = those;
      else for (const one of those) (merged ??= new Set(found)).add(one);
    }
    before.set(name, merged ? [...merged] : found);
  }
  return (name) => before.get(name) ?? none;
}

function assemble(drafts: readonly Draft[], edges: Edges): readonly Action[] {
  const stepsOf = (draft: Draft) =>
    [draft.look, draft.remove, draft.make, ...draft.deposed].filter((step): step is StepDraft => step !== undefined);
  const { position, edges: kept } = sortSteps(
    drafts.flatMap(stepsOf).map((step) => step.id),
    edges,
  );
  const at = (id: string) => position.get(id) ?? 0;
  const withAfter = (step: StepDraft): Step => ({
    ...step,
    after: [...(kept.get(step.id)?.keys() ?? [])].toSorted((a, b) => at(a) - at(b)),
  });
  const main = (draft: Draft) => at((draft.make ?? draft.remove ?? draft.deposed[0])?.id ?? '');
  return drafts
    .toSorted((a, b) => main(a) - main(b))
    .map((draft): Action => ({
      ...draft.action,
      steps: stepsOf(draft)
        .toSorted((a, b) => at(a.id) - at(b.id))
        .map(withAfter),
    }));
}
