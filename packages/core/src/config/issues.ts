// zod's issues, said in our words and at the place in the file that they are about.
import type { Diagnostic } from '@errand/contract';
import type { core, ZodType } from 'zod';
import { didYouMean } from '../base/distance.ts';
import { isEmpty, placeOf, placeOfKey, subtree, type Position, type Tree } from './tree.ts';

type Issue = core.$ZodIssue;

export interface IssueContext {
  readonly file: string;
  readonly tree: Tree;
  readonly schema: ZodType;
  /** Keys that are allowed at the top beside the schema's own. */
  readonly otherKeys?: Iterable<string>;
}

export function explainIssues(context: IssueContext, issues: readonly Issue[]): Diagnostic[] {
  return issues.flatMap((issue) => explain(context, issue, []));
}

function explain(context: IssueContext, issue: Issue, before: readonly PropertyKey[]): Diagnostic[] {
  const path = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(context, path, key));
  if (issue.code === 'invalid_union') {
    const told = issue.errors.find((option) => !option.every((one) => one.code === 'invalid_type' && one.path.length === 0));
    if (told) return told.flatMap((one) => explain(context, one, path));
  }
  if (issue.code === 'invalid_key') {
    const key = String(path.at(-1));
    const message = issue.issues[0]?.message ?? 'not a name that can be used here';
    return [diagnostic(context, placeOfKey(context.tree, path.slice(0, -1), key), `${name(path)}: ${message}`)];
  }
  const written = subtree(context.tree, path);
  if (written && isEmpty(written)) {
    return [
      diagnostic(
        context,
        placeOf(context.tree, path),
        `${name(path)}: there is no value`,
        'Write one, "" for empty text, or remove the key.',
      ),
    ];
  }
  const label = path.length === 0 || (!written && issue.code === 'custom') ? '' : `${name(path)}: `;
  return [diagnostic(context, placeOf(context.tree, path), `${label}${wording(issue, written)}`, hintOf(issue, written))];
}

export function unknownKey(context: IssueContext, path: readonly PropertyKey[], key: string): Diagnostic {
  const known = [...keysAt(context.schema, path), ...(path.length === 0 ? (context.otherKeys ?? []) : [])];
  const close = didYouMean(key, known);
  const hint =
    key === '<<'
      ? 'Use `extends: <environment>` to take over keys.'
      : (close ?? (known.length > 0 ? `Known are: ${[...new Set(known)].join(', ')}.` : undefined));
  return diagnostic(context, placeOfKey(context.tree, path, key), `unknown key '${name([...path, key])}'`, hint);
}

/** What an object schema allows at `path`; nothing when the schema is of another kind there. */
export function keysAt(schema: ZodType, path: readonly PropertyKey[]): readonly string[] {
  let here = unwrap(schema);
  for (const step of path) {
    const shape: Record<string, ZodType> = here && 'shape' in here ? (here.shape as Record<string, ZodType>) : {};
    here = unwrap(shape[String(step)]);
  }
  return here && 'shape' in here ? Object.keys(here.shape as object) : [];
}

function unwrap(schema: ZodType | undefined): ZodType | undefined {
  let here = schema;
  while (here && 'innerType' in here.def) here = here.def.innerType as ZodType;
  return here;
}

function wording(issue: Issue, written: Tree | undefined): string {
  if (issue.code === 'invalid_type' && written === undefined) return 'this key is required';
  if (issue.code === 'invalid_type') return `expected ${kindNames[issue.expected] ?? issue.expected}, got ${kindOf(written)}`;
  if (issue.code === 'invalid_value') return `expected ${issue.values.map((value) => `'${String(value)}'`).join(' or ')}`;
  return issue.message;
}

function hintOf(issue: Issue, written: Tree | undefined): string | undefined {
  if (issue.code === 'custom' && typeof issue.params?.['hint'] === 'string') return issue.params['hint'];
  if (issue.code === 'invalid_value' && written?.kind === 'scalar')
    return didYouMean(String(written.value), issue.values.map(String));
  if (issue.code === 'invalid_type' && issue.expected === 'string' && written?.kind === 'scalar' && written.value !== null) {
    return typeof written.value === 'number'
      ? `If it is text, put it into quotes; a duration needs a unit, as in 20m.`
      : 'Put it into quotes.';
  }
  return undefined;
}

const kindNames: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'a map',
  record: 'a map',
  array: 'a list',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function kindOf(tree: Tree | undefined): string {
  if (!tree) return 'nothing';
  if (tree.kind !== 'scalar') return tree.kind === 'map' ? 'a map' : 'a list';
  return { string: 'text', number: 'a number', boolean: `'${String(tree.value)}'`, object: 'nothing' }[
    typeof tree.value as 'string'
  ];
}

function name(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function diagnostic(context: IssueContext, at: Position, message: string, hint?: string): Diagnostic {
  return { severity: 'error', message, file: context.file, ...at, ...(hint === undefined ? {} : { hint }) };
}
