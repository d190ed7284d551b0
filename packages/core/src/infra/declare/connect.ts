// What a single resource cannot know: whether those it names exist, and whether all of them can come first.
import type { Diagnostic } from '@errand/contract';
import { didYouMean } from '../../base/distance.ts';
import { readSecretReference, secretHint } from '../../base/secret-reference.ts';
import type { DeclaredResource, Origin, Stack } from '../../model/infra/stack.ts';
import { mayRefer } from '../references/parse.ts';
import { referencesIn } from '../references/resolve.ts';
import { writtenSecrets } from '../references/secrets.ts';
import { mapLeaves } from '../references/walk.ts';
import { circleIn, sortGraph } from './graph.ts';

type Parts = Pick<Stack, 'resources' | 'outputs'>;

/** `named` are all names in the file: what is broken itself is no reason to complain about those who refer to it. */
export function checkReferences(stack: Parts, named: ReadonlySet<string>): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const strange = (name: string, label: string, origin: Origin | undefined) =>
    diagnostics.push(problem(origin, `${label}: there is no resource '${name}'`, hintFor(name, named)));

  for (const resource of stack.resources.values()) {
    if (resource.dependsOn.every((name) => named.has(name) && name !== resource.name)) continue;
    const written = new Set<string>();
    mapLeaves(resource.config, '', (leaf, path) => {
      for (const { name, written: text } of referencesIn(leaf)) {
        written.add(name);
        const at = resource.origins?.get(path) ?? resource.origin;
        if (name === resource.name) diagnostics.push(problem(at, `${resource.name}: ${path}: ${text} refers to itself`));
        else if (!named.has(name)) strange(name, `${resource.name}: ${path}`, at);
      }
      return leaf;
    });
    for (const name of resource.dependsOn) {
      if (written.has(name)) continue;
      if (name === resource.name)
        diagnostics.push(problem(resource.origin, `${resource.name}: depends_on: it cannot depend on itself`));
      else if (!named.has(name)) strange(name, `${resource.name}: depends_on`, resource.origin);
    }
  }
  for (const output of stack.outputs.values()) {
    for (const { name } of referencesIn(output.value))
      if (!named.has(name)) strange(name, `outputs.${output.name}`, output.origin);
  }
  return diagnostics;
}

/** One circle at a time: the next one may be gone with the first. */
export function checkCircles(resources: ReadonlyMap<string, DeclaredResource>): readonly Diagnostic[] {
  const graph = new Map([...resources].map(([name, one]) => [name, one.dependsOn.filter((need) => need !== name)]));
  const circle = circleIn(graph, sortGraph(graph).left);
  if (!circle) return [];
  const message = `the resources depend on each other in a circle: ${circle.join(' → ')}`;
  return [problem(resources.get(circle[0] ?? '')?.origin, message, 'Take one of these references or depends_on out.')];
}

/** `secret://` references in the configs, with the place of the first of each. */
export function secretsIn(
  resources: Iterable<DeclaredResource>,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, Origin | undefined> {
  const found = new Map<string, Origin | undefined>();
  for (const resource of resources) {
    for (const { reference, path } of writtenSecrets(resource.config)) {
      const at = resource.origins?.get(path) ?? resource.origin;
      const read = mayRefer(reference)
        ? { problem: 'it cannot be put together from references' }
        : readSecretReference(reference);
      if ('problem' in read) {
        diagnostics.push(problem(at, `${resource.name}: ${path}: not a secret reference: ${read.problem}`, secretHint));
      } else if (!found.has(reference)) found.set(reference, at);
    }
  }
  return found;
}

function hintFor(name: string, named: ReadonlySet<string>): string {
  return (
    didYouMean(name, named) ?? (named.size > 20 ? '$${ stands for the text ${ itself.' : `Known are: ${[...named].join(', ')}.`)
  );
}

function problem(origin: Origin | undefined, message: string, hint?: string): Diagnostic {
  return { severity: 'error', message, ...origin, ...(hint === undefined ? {} : { hint }) };
}
