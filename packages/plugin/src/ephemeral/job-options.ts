import type { Diagnostic, Json } from '@errand/contract';

const targetKeys = new Set(['name', 'type', 'id']);

/** The keys of an environment whose jobs a plugin of the public contract runs: nothing, or the resource that they run in. */
export function checkJobOptions(name: string, options: Json): readonly Diagnostic[] {
  const problems: string[] = [];
  for (const [key, value] of entriesOf(options)) {
    if (key !== 'target') problems.push(`the provider ${name} knows no key '${key}'; of its own it has only 'target'`);
    else problems.push(...targetProblems(value));
  }
  return problems.map((message) => ({ severity: 'error', message, hint: 'Correct the environment, or remove the key.' }));
}

function targetProblems(target: Json): string[] {
  const entries = entriesOf(target);
  const strange = entries.filter(([key, value]) => !targetKeys.has(key) || typeof value !== 'string');
  if (entries.length > 0 && strange.length === 0) return [];
  return ['target: expected the resource that the job runs in, as { name, type, id } of texts'];
}

function entriesOf(value: Json): readonly (readonly [string, Json])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value as object) : [];
}
