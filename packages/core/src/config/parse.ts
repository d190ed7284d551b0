import type { Diagnostic } from '@errand/contract';
import type { Node, Pair, Document, YAMLError } from 'yaml';
import { hopelessDepth } from './depth.ts';
import { readPlainYaml } from './plain-yaml.ts';
import type { Branch, Entry, Position, Tree } from './tree.ts';

/** Aliases may multiply, so what they bring in is counted; the rest is bounded by the size of the file. */
const mostCopies = 10_000;
const deepest = 100;
/** Past this, syntax errors are echoes of the first ones. */
const mostErrors = 50;

const tooDeep = 'the file is nested too deeply';

const hints: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'Indent with spaces; YAML does not allow tabs.',
  BAD_INDENT: 'Give all keys of one map the same indentation.',
  MULTIPLE_DOCS: 'Keep one document per file; remove the line `---`.',
  BAD_SCALAR_START: 'Put the text into quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'Put text that contains `: ` into quotes.',
};

export interface Parsed {
  /** Absent when the file is empty, or too broken to go on with. */
  readonly root: Tree | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** All syntax problems at once. */
export async function parseTree(text: string, file: string): Promise<Parsed> {
  const plain = readPlainYaml(text);
  return plain ? { root: plain, diagnostics: [] } : parseWholeYaml(text, file);
}

/** Whatever YAML allows. Loads the parser on first use, since most files can do without it. */
export async function parseWholeYaml(text: string, file: string): Promise<Parsed> {
  const yaml = await import('./yaml.ts');
  const lines = new yaml.LineCounter();
  const diagnostics: Diagnostic[] = [];
  const position = (offset: number | undefined): Position => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const report = (at: Position, message: string, hint?: string, severity: Diagnostic['severity'] = 'error') =>
    diagnostics.push({ severity, message, file, ...at, ...(hint === undefined ? {} : { hint }) });

  const hopeless = hopelessDepth(text);
  if (hopeless !== undefined) {
    const before = text.slice(0, hopeless).split('\n');
    report({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }, tooDeep);
    return { root: undefined, diagnostics };
  }
  let document: Document.Parsed;
  try {
    document = yaml.parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      uniqueKeys: false,
      logLevel: 'error',
    });
  } catch (error) {
    // The parser is recursive: what is nested deeper than the stack ends here.
    if (!(error instanceof RangeError)) throw error;
    report({ line: 1, column: 1 }, tooDeep);
    return { root: undefined, diagnostics };
  }
  for (const error of document.errors.slice(0, mostErrors)) {
    const message = error.code === 'RESOURCE_EXHAUSTION' ? tooDeep : lowerFirst(error.message);
    report(position(error.pos[0]), message, hints[error.code]);
  }
  for (const warning of document.warnings) report(position(warning.pos[0]), lowerFirst(warning.message), undefined, 'warning');
  if (document.errors.length > 0) return { root: undefined, diagnostics };

  let copies = 0;
  let stopped = false;
  function grow(node: Node | null, around: Position, depth: number, copied: boolean): Tree {
    const at = node?.range ? position(node.range[0]) : around;
    const empty: Tree = { kind: 'scalar', at, value: null, source: '' };
    if (copied) copies += 1;
    if (stopped || node === null) return empty;
    if (depth > deepest || copies > mostCopies) {
      stopped = true;
      report(at, depth > deepest ? tooDeep : 'the aliases multiply without end');
      return empty;
    }
    if (yaml.isAlias(node)) {
      const target = node.resolve(document);
      if (target) return { ...grow(target, at, depth + 1, true), at };
      report(at, `the alias *${node.source} has no anchor before it`);
      return empty;
    }
    if (yaml.isMap(node)) return branch(node.items, at, depth, copied);
    if (yaml.isSeq(node))
      return { kind: 'list', at, items: node.items.map((item) => grow(yaml.isNode(item) ? item : null, at, depth + 1, copied)) };
    if (!yaml.isScalar(node)) return empty;
    const { value } = node;
    const source = node.source ?? String(value);
    if (typeof value === 'number' && !Number.isFinite(value))
      report(at, 'the number is not finite', 'Put it into quotes if it is meant as text.');
    else if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean')
      return { kind: 'scalar', at, value, source };
    else if (value !== null && value !== undefined)
      report(at, 'only text, numbers, true, false, lists and maps can be used here');
    return empty;
  }

  function branch(items: readonly Pair[], at: Position, depth: number, copied: boolean): Branch {
    const entries = new Map<string, Entry>();
    for (const pair of items) {
      const key = yaml.isScalar(pair.key) ? String(pair.key.value) : '';
      const place = yaml.isNode(pair.key) && pair.key.range ? position(pair.key.range[0]) : at;
      const first = entries.get(key);
      if (first) report(place, `the key '${key}' is here twice`, `It was first written in line ${first.key.line}.`);
      else entries.set(key, { key: place, value: grow(yaml.isNode(pair.value) ? pair.value : null, place, depth + 1, copied) });
    }
    return { kind: 'map', at, entries };
  }

  const root = document.contents === null ? undefined : grow(document.contents, { line: 1, column: 1 }, 0, false);
  return { root, diagnostics };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
