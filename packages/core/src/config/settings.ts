import { ErrandError } from '@errand/contract';
import type { Diagnostic } from '@errand/contract';
import type { ZodType } from 'zod';
import { orderDiagnostics } from './diagnose.ts';
import { requireConfig } from './find.ts';
import { explainIssues } from './issues.ts';
import { parseTree } from './parse.ts';
import { readConfig } from './read.ts';
import { toData } from './tree.ts';

/** A YAML file of ours beside errand.yaml. Throws `config/invalid` with every problem and its place, or `config/unreadable`. */
export async function readSettings<T>(
  path: string,
  cwd: string,
  schema: ZodType<T>,
): Promise<{ readonly file: string; readonly settings: T }> {
  const file = requireConfig(path, cwd);
  const { root, diagnostics } = await parseTree(await readConfig(file), file);
  const parsed = schema.safeParse(root ? toData(root) : {});
  const tree = root ?? { kind: 'map' as const, at: { line: 1, column: 1 }, entries: new Map() };
  const syntax = diagnostics.filter((one) => one.severity === 'error');
  // What does not parse has no shape either; saying so twice would hide the one thing to correct.
  const shape = syntax.length > 0 ? [] : explainIssues({ file, tree, schema }, parsed.error?.issues ?? []);
  if (parsed.success && syntax.length === 0) return { file, settings: parsed.data };
  throw invalid(file, orderDiagnostics([...diagnostics, ...shape]));
}

function invalid(file: string, diagnostics: readonly Diagnostic[]): ErrandError {
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  return new ErrandError('config/invalid', `cannot use ${file}: ${errors === 1 ? 'one problem' : `${errors} problems`}`, {
    diagnostics,
    next: 'Correct the lines named above.',
  });
}
