import { ErrandError } from '@errand/contract';
import { didYouMean } from '../../base/distance.ts';
import type { State } from '../../model/infra/record.ts';
import type { Stack } from '../../model/infra/stack.ts';
import { dependentsIn, reach, type Graph } from '../declare/graph.ts';
import type { PlanOptions } from '../sdk.ts';

export interface Scope {
  /** Of what is wanted. */
  wanted(name: string): boolean;
  /** Of what is recorded and may be deleted. */
  deletable(name: string): boolean;
  readonly excluded: readonly string[];
}

/**
 * A target brings what it depends on; one that is to be deleted brings what depends on it instead. What is excluded
 * takes with it what depends on it, and, so that it can stay, what it depends on is not deleted either.
 */
export function scopeOf(stack: Pick<Stack, 'resources'>, state: Pick<State, 'resources'>, options: PlanOptions): Scope {
  const { target = [], exclude = [], purpose = 'apply' } = options;
  if (target.length === 0 && exclude.length === 0) return { wanted: () => true, deletable: () => true, excluded: [] };
  const declared: Graph = new Map([...stack.resources].map(([name, one]) => [name, one.dependsOn]));
  const recorded: Graph = new Map([...state.resources].map(([name, one]) => [name, one.dependencies]));
  requireKnown([...target, ...exclude], new Set([...declared.keys(), ...recorded.keys()]));
  const declaredDependents = dependentsIn(declared);
  const recordedDependents = dependentsIn(recorded);

  const stays = purpose === 'destroy' ? () => false : (name: string) => declared.has(name);
  const kept = target.length === 0 ? declared.keys() : reach(target.filter(stays), (name) => declared.get(name) ?? []);
  const gone =
    target.length === 0
      ? recorded.keys()
      : reach(
          target.filter((name) => !stays(name)),
          (name) => recordedDependents.get(name) ?? [],
        );
  const out = reach(exclude, (name) => declaredDependents.get(name) ?? []);
  const held = reach(out, (name) => recorded.get(name) ?? []);
  const wanted = new Set([...kept].filter((name) => !out.has(name)));
  const deletable = new Set([...gone].filter((name) => !held.has(name)));
  const all = new Set([...declared.keys(), ...recorded.keys()]);
  return {
    wanted: (name) => wanted.has(name),
    deletable: (name) => deletable.has(name),
    excluded: [...all].filter((name) => (stays(name) ? !wanted.has(name) : recorded.has(name) && !deletable.has(name))),
  };
}

/** Throws `usage/invalid` for the first name that nothing declared or recorded has. */
export function requireKnown(names: readonly string[], known: ReadonlySet<string>): void {
  const strange = names.find((name) => !known.has(name));
  if (strange === undefined) return;
  throw new ErrandError('usage/invalid', `there is no resource '${strange}' in the configuration or the state`, {
    next: didYouMean(strange, known) ?? 'Name resources as in `errand infra state list`.',
  });
}
