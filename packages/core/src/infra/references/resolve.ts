// From a template to values. A reference that is the whole text keeps the type of its value; inside a longer text,
// numbers stand plain and structures as JSON.
import type { Json } from '@errand/contract';
import type { Sealed } from '../../model/infra/record.ts';
import { escapeTemplate, mayRefer, parseTemplate, type Part, type ResourceReference } from './parse.ts';
import { isSealed } from './sealed.ts';
import { mapLeaves } from './walk.ts';

export type Found =
  | { readonly known: true; readonly value: Json; readonly sensitive: boolean }
  | { readonly known: false; readonly sensitive: boolean }
  | { readonly problem: string; readonly hint?: string };

export type Lookup = (reference: ResourceReference) => Found;

export interface ResolveProblem {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

export interface Resolved<T> {
  /** Texts with an unknown reference stand as they were written. */
  readonly config: T;
  /** Paths. */
  readonly unknown: readonly string[];
  /** Paths of `secret://` references and of what came from sensitive outputs; the latter are in clear. */
  readonly sensitive: readonly string[];
  readonly problems: readonly ResolveProblem[];
}

const nothing: readonly never[] = [];

/** `open` is for sealed values that stand in the config itself; without it they stay as they are. */
export function resolveConfig<T extends Json>(config: T, lookup: Lookup, open?: (sealed: Sealed) => Json): Resolved<T> {
  let unknown: string[] | undefined;
  let sensitive: string[] | undefined;
  let problems: ResolveProblem[] | undefined;
  const resolved = mapLeaves(config, '', (leaf, path) => {
    if (isSealed(leaf)) {
      (sensitive ??= []).push(path);
      return open ? open(leaf) : leaf;
    }
    const text = leaf as string;
    if (!mayRefer(text)) {
      if (text.startsWith('secret://')) (sensitive ??= []).push(path);
      return text;
    }
    const template = parseTemplate(text);
    for (const { message, hint } of template.problems) (problems ??= []).push({ path, message, hint });
    const answers = template.parts.map((part) => answer(part, lookup));
    for (const found of answers) if ('problem' in found) (problems ??= []).push(problemAt(path, found));
    if (answers.some((found) => 'sensitive' in found && found.sensitive)) (sensitive ??= []).push(path);
    if (answers.some((found) => 'known' in found && !found.known)) {
      (unknown ??= []).push(path);
      return text;
    }
    return join(answers.flatMap((found) => ('value' in found ? [found.value] : [])));
  }) as T;
  return { config: resolved, unknown: unknown ?? nothing, sensitive: sensitive ?? nothing, problems: problems ?? nothing };
}

/** Still a template: the references for which `settle` gives a value are replaced by it, the others stand as written. */
export function settleConfig<T extends Json>(
  config: T,
  settle: (reference: ResourceReference) => { value: Json } | undefined,
): T {
  return mapLeaves(config, '', (leaf) => {
    if (typeof leaf !== 'string' || !mayRefer(leaf)) return leaf;
    const { parts, problems } = parseTemplate(leaf);
    if (problems.length > 0) return leaf;
    const settled = parts.map((part) => (part.kind === 'resource' ? settle(part) : undefined));
    if (settled.every((one) => one === undefined)) return leaf;
    if (parts.length === 1 && settled[0]) return escapeAll(settled[0].value);
    return asTemplate(parts, settled) ?? leaf;
  }) as T;
}

/** Every reference to a resource in the value, each once, in order. */
export function referencesIn(value: Json): readonly ResourceReference[] {
  const found = new Map<string, ResourceReference>();
  mapLeaves(value, '', (leaf) => {
    if (typeof leaf === 'string' && mayRefer(leaf)) {
      for (const part of parseTemplate(leaf).parts) if (part.kind === 'resource') found.set(part.written, part);
    }
    return leaf;
  });
  return [...found.values()];
}

/** The same value as a template that means just it. */
export function escapeAll(value: Json): Json {
  return mapLeaves(value, '', (leaf) => (typeof leaf === 'string' ? escapeTemplate(leaf) : leaf));
}

/** Undefined when it cannot be written: a `$` right before a reference would read as an escape. */
function asTemplate(parts: readonly Part[], settled: readonly ({ readonly value: Json } | undefined)[]): string | undefined {
  let text = '';
  let plain = '';
  for (const [at, part] of parts.entries()) {
    const value = part.kind === 'text' ? part.text : settled[at]?.value;
    if (value !== undefined) plain += textOf(value);
    else if (plain.endsWith('$')) return undefined;
    else {
      text += escapeTemplate(plain) + (part.kind === 'text' ? '' : part.written);
      plain = '';
    }
  }
  return text + escapeTemplate(plain);
}

function answer(part: Part, lookup: Lookup): Found {
  if (part.kind === 'text') return { known: true, value: part.text, sensitive: false };
  if (part.kind === 'resource') return lookup(part);
  return { problem: `\`${part.written}\` was not filled in`, hint: 'Variables are filled in when the config file is read.' };
}

function problemAt(path: string, found: { readonly problem: string; readonly hint?: string }): ResolveProblem {
  return { path, message: found.problem, ...(found.hint === undefined ? {} : { hint: found.hint }) };
}

function join(values: readonly Json[]): Json {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values.map(textOf).join('');
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
