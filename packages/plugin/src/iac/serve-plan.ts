// A plan for hosts that let the provider make it. Ours never ask: they plan with the drivers themselves.
import { ErrandError } from '@errand/contract';
import type { Ask, FieldChange, Infra, PlanView, ResourceDiff, ResourceSpec, ResourceState } from '@errand/contract';
import { inLanes } from './lanes.ts';
import { driverOf } from './served.ts';

type Action = PlanView['actions'][number];

const width = 8;

export async function planFor(
  infra: Infra,
  desired: readonly ResourceSpec[],
  current: readonly ResourceState[],
  ask: Ask,
): Promise<PlanView> {
  const recorded = new Map(current.map((state) => [state.name, state]));
  const wanted = new Map(desired.map((spec) => [spec.name, spec]));
  const planned = await inLanes(
    inOrder(wanted, ({ dependsOn }) => dependsOn),
    width,
    (spec) => actionFor(infra, spec, recorded.get(spec.name), ask),
  );
  const leaving = new Map(current.filter(({ name }) => !wanted.has(name)).map((state) => [state.name, state]));
  const deletes = inOrder(leaving, ({ dependencies }) => dependencies)
    .toReversed()
    .map(deletion);
  const createdAt = Date.now();
  return { id: `plan-${createdAt}`, createdAt, desiredHash: '', inputs: {}, actions: [...planned.flat(), ...deletes] };
}

async function actionFor(
  infra: Infra,
  spec: ResourceSpec,
  state: ResourceState | undefined,
  ask: Ask,
): Promise<readonly Action[]> {
  const driver = driverOf(infra, spec.type);
  if (!state) return [{ action: 'create', resource: spec, changes: [], resolvedConfigHash: '' }];
  const make = (action: Action['action'], changes: readonly FieldChange[]): readonly Action[] => [
    { action, resource: spec, current: state, changes, resolvedConfigHash: '' },
  ];
  if (state.type !== spec.type) return make('replace', [{ path: 'type', old: state.type, new: spec.type, forceNew: true }]);
  const { name, type, providerId, outputs } = state;
  const diff = await driver.diff(spec, { name, type, providerId, outputs, sensitive: [], status: '' }, ask);
  if (isReplacement(diff)) return make('replace', diff.changes);
  return diff.needsUpdate ? make('update', diff.changes) : [];
}

function isReplacement({ needsReplace, changes }: ResourceDiff): boolean {
  return needsReplace || changes.some(({ forceNew }) => forceNew);
}

function deletion(state: ResourceState): Action {
  const resource = { name: state.name, type: state.type, config: {}, dependsOn: state.dependencies };
  return { action: 'delete', resource, current: state, changes: [], resolvedConfigHash: '' };
}

/** What others depend on first. Names that are not among them are passed over. */
function inOrder<T>(items: ReadonlyMap<string, T>, dependenciesOf: (item: T) => readonly string[]): T[] {
  const ordered = new Map<string, T>();
  const path = new Set<string>();
  const visit = (name: string): void => {
    const item = items.get(name);
    if (item === undefined || ordered.has(name)) return;
    if (path.has(name)) {
      const cycle = [...path]
        .slice([...path].indexOf(name))
        .concat(name)
        .join(' → ');
      throw new ErrandError('infra/invalid', `ordered the resources of a plan: they depend on each other in a circle: ${cycle}`, {
        next: 'Remove one of these dependencies.',
      });
    }
    path.add(name);
    for (const other of dependenciesOf(item)) visit(other);
    path.delete(name);
    ordered.set(name, item);
  };
  for (const name of items.keys()) visit(name);
  return [...ordered.values()];
}
