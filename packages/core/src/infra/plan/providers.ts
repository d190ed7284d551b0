import type { Driver } from '@errand/contract';
import type { Plan } from '../../model/infra/plan.ts';
import type { OpenedInfra, PlanInput } from './types.ts';

export interface OpenProviders {
  readonly opened: ReadonlyMap<string, OpenedInfra>;
  /** Undefined when the provider has no such type. */
  driver(provider: string, type: string): Driver | undefined;
  readonly list: Plan['providers'];
}

/** Opens what the resources in question need, all at once. */
export async function openProviders(
  input: Pick<PlanInput, 'infraOf'>,
  needed: ReadonlyMap<string, { readonly name: string; readonly use: string }>,
): Promise<OpenProviders> {
  const list = [...needed.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const opened = new Map(await Promise.all(list.map(async (one) => [one.name, await input.infraOf(one)] as const)));
  return {
    opened,
    driver: (provider, type) => opened.get(provider)?.infra.drivers.get(type),
    list: list.map(({ name, use }) => ({ name, use, version: opened.get(name)?.version ?? '' })),
  };
}
