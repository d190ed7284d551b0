import type { ActionKind, Plan } from '../../model/infra/plan.ts';
import type { Stack } from '../../model/infra/stack.ts';

/** What is drawn: resources, and who depends on whom. */
export interface Drawing {
  readonly nodes: readonly Node[];
  /** From what depends to what it depends on. */
  readonly edges: readonly (readonly [string, string])[];
}

export interface Node {
  readonly name: string;
  readonly type: string;
  readonly provider: string;
  /** Absent where nothing is done. */
  readonly action?: ActionKind;
}

/** Of a stack; with a plan, of what it does to it, leaving resources included. */
export function drawingOf(stack: Stack, plan?: Plan): Drawing {
  const actions = new Map(plan?.actions.map((action) => [action.resource, action]));
  const nodes: Node[] = [];
  const needs = new Map<string, readonly string[]>();
  for (const { name, type, provider, dependsOn } of stack.resources.values()) {
    const action = actions.get(name)?.kind;
    nodes.push({ name, type, provider, ...(action && { action }) });
    needs.set(name, dependsOn);
  }
  for (const { resource, type, provider, kind, current } of actions.values()) {
    if (needs.has(resource)) continue;
    nodes.push({ name: resource, type, provider, action: kind });
    needs.set(resource, current?.dependencies ?? []);
  }
  const edges = nodes.flatMap(({ name }) =>
    (needs.get(name) ?? []).filter((need) => needs.has(need)).map((need) => [name, need] as const),
  );
  return { nodes, edges };
}

/** The same colours in every drawing. */
export const colours: Readonly<Record<ActionKind, string>> = {
  create: '#2da44e',
  update: '#bf8700',
  replace: '#8250df',
  delete: '#cf222e',
  forget: '#6e7781',
  read: '#0969da',
};
