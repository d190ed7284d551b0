import type { DeclaredResource } from '../../model/infra/stack.ts';

/**
 * Whose successor is made before it goes: what asks for it, and all that such a one depends on. Otherwise its old self
 * would have to outlive what it stands on.
 */
export function createsFirstIn(
  resources: ReadonlyMap<string, DeclaredResource>,
  sorted: readonly string[],
): (name: string) => boolean {
  const first = new Set<string>();
  for (const name of sorted.toReversed()) {
    const resource = resources.get(name);
    if (!resource) continue;
    if (resource.lifecycle.createBeforeDestroy) first.add(name);
    if (first.has(name)) for (const need of resource.dependsOn) first.add(need);
  }
  return (name) => first.has(name);
}
