// `extends`: a child says only what differs. Maps are merged deeply and the child wins; a child with another provider
// takes over nothing of what the parent told its own provider; an empty value takes an inherited one away.
import type { Diagnostic } from '@errand/contract';
import { didYouMean } from '../base/distance.ts';
import { isEmpty, type Branch, type Entry, type Position } from './tree.ts';

export interface Extended {
  readonly tree: Branch;
  /** False when an ancestor is missing or the chain is a circle: what is absent may have been meant to be inherited. */
  readonly whole: boolean;
}

export function extendAll(
  environments: ReadonlyMap<string, Branch>,
  file: string,
  commonKeys: ReadonlySet<string>,
): { readonly environments: ReadonlyMap<string, Extended>; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const done = new Map<string, Extended>();
  const report = (at: Position, message: string, hint?: string) =>
    diagnostics.push({ severity: 'error', message, file, ...at, ...(hint ? { hint } : {}) });

  function resolve(name: string, own: Branch, chain: readonly string[]): Extended {
    const ready = done.get(name);
    if (ready) return ready;
    const result = extend(name, own, [...chain, name]);
    done.set(name, result);
    return result;
  }

  function extend(name: string, own: Branch, chain: readonly string[]): Extended {
    const parentName = own.entries.get('extends')?.value;
    if (parentName === undefined) return { tree: own, whole: true };
    const bare = without(own, 'extends');
    if (parentName.kind !== 'scalar' || typeof parentName.value !== 'string') {
      report(parentName.at, 'extends: expected the name of one environment, as text');
      return { tree: bare, whole: false };
    }
    const wanted = parentName.value;
    if (chain.includes(wanted)) {
      report(
        parentName.at,
        `extends: the environments extend each other in a circle: ${[...chain.slice(chain.indexOf(wanted)), wanted].join(' → ')}`,
      );
      return { tree: bare, whole: false };
    }
    const parent = environments.get(wanted);
    if (!parent) {
      const others = [...environments.keys()].filter((other) => other !== name);
      report(parentName.at, `extends: there is no environment '${wanted}'`, didYouMean(wanted, others));
      return { tree: bare, whole: false };
    }
    const inherited = resolve(wanted, parent, chain);
    return { tree: mergeEnvironment(inherited.tree, bare, commonKeys), whole: inherited.whole };
  }

  for (const [name, own] of environments) resolve(name, own, []);
  return { environments: done, diagnostics };
}

function mergeEnvironment(parent: Branch, child: Branch, commonKeys: ReadonlySet<string>): Branch {
  const before = parent.entries.get('provider')?.value;
  const after = child.entries.get('provider')?.value;
  const sameProvider =
    after === undefined || (before?.kind === 'scalar' && after.kind === 'scalar' && before.value === after.value);
  const kept = [...parent.entries].filter(([key]) => sameProvider || commonKeys.has(key));
  return merge({ ...parent, entries: new Map(kept) }, child, 0);
}

function merge(parent: Branch, child: Branch, depth: number): Branch {
  const entries = new Map<string, Entry>(parent.entries);
  for (const [key, entry] of child.entries) {
    const inherited = entries.get(key)?.value;
    if (inherited?.kind === 'map' && entry.value.kind === 'map') {
      entries.set(key, { key: entry.key, value: merge(inherited, entry.value, depth + 1) });
    } else if (inherited && isEmpty(entry.value)) {
      // `env:` with all its lines commented out changes nothing; `TOKEN:` inside it takes the inherited one away.
      if (inherited.kind !== 'map' || depth > 0) entries.delete(key);
    } else entries.set(key, entry);
  }
  return { ...child, entries };
}

function without(tree: Branch, key: string): Branch {
  return { ...tree, entries: new Map([...tree.entries].filter(([name]) => name !== key)) };
}
