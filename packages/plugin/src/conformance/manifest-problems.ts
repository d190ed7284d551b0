import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a reader of the public contract would refuse. Errand itself asks for a name and a version only. */
export async function manifestProblems(directory: string): Promise<string[]> {
  return problemsOf(JSON.parse(await readFile(join(directory, 'plugin.json'), 'utf8')));
}

export function problemsOf(manifest: unknown): string[] {
  if (!isObject(manifest)) return ['it is not an object'];
  const { name, version, author, description, capabilities, iacProvider } = manifest;
  const problems: string[] = [];
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*[a-z0-9]$/.test(name))
    problems.push('`name` must begin with a lower-case letter, end with one or a digit, and hold only those and dashes');
  if (typeof version !== 'string' || !/^v?\d+\.\d+\.\d+$/.test(version))
    problems.push('`version` must be three numbers, such as 1.2.3');
  if (typeof author !== 'string' || author === '') problems.push('`author` is missing');
  if (typeof description !== 'string' || description === '') problems.push('`description` is missing');
  if (capabilities !== undefined && !isObject(capabilities))
    problems.push('`capabilities` must be an object: with a list, a Go host skips the plugin');
  if (
    iacProvider !== undefined &&
    (!isObject(iacProvider) || !['', 'v1', 'v2', undefined].includes(iacProvider['computePlanVersion'] as string))
  )
    problems.push('`iacProvider.computePlanVersion` must be "v2"');
  return problems;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
