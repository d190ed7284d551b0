// From the tree of a config file to its meaning. Loads zod, so only `load.ts` imports it, and only when there is a file.
import type { Diagnostic, ProviderDefinition } from '@errand/contract';
import { defaultEnvironments } from './defaults.ts';
import { readEnvironment } from './environment.ts';
import { extendAll } from './extend.ts';
import { explainIssues } from './issues.ts';
import { commonKeys, environmentName, file as schema } from './schema.ts';
import { isEmpty, toData, type Branch, type Tree } from './tree.ts';
import type { Environment } from './types.ts';

export interface Top {
  readonly providers?: Tree;
  readonly environments?: Branch;
  readonly store?: string;
  readonly secretDirectory?: string;
}

export function readTop(root: Tree, file: string, diagnostics: Diagnostic[]): Top {
  if (root.kind !== 'map') {
    if (!isEmpty(root)) {
      diagnostics.push({
        severity: 'error',
        message: 'the file does not hold a map of keys',
        file,
        ...root.at,
        hint: 'Begin with `environments:`.',
      });
    }
    return {};
  }
  const given = new Map([...root.entries].filter(([key, entry]) => key === 'store' || !isEmpty(entry.value)));
  const tree: Branch = { ...root, entries: given };
  const parsed = schema.safeParse(toData(tree));
  diagnostics.push(...explainIssues({ file, tree, schema }, parsed.error?.issues ?? []));
  const environments = given.get('environments')?.value;
  if (environments && environments.kind !== 'map') {
    diagnostics.push({
      severity: 'error',
      message: 'environments: expected a map of names',
      file,
      ...environments.at,
      hint: 'Write `environments:` and below it `  ci: { provider: local }`.',
    });
  }
  const providers = given.get('providers')?.value;
  return {
    ...(providers === undefined ? {} : { providers }),
    ...(environments?.kind === 'map' ? { environments } : {}),
    ...(parsed.data?.store === undefined ? {} : { store: parsed.data.store }),
    ...(parsed.data?.secrets?.directory === undefined ? {} : { secretDirectory: parsed.data.secrets.directory }),
  };
}

export async function readEnvironments(
  branch: Branch | undefined,
  file: string,
  providers: ReadonlyMap<string, Pick<ProviderDefinition, 'options'>>,
  diagnostics: Diagnostic[],
): Promise<ReadonlyMap<string, Environment>> {
  const written = new Map<string, Branch>();
  for (const [name, entry] of branch?.entries ?? []) {
    const tree = asEnvironment(entry.value);
    if (!environmentName.test(name)) {
      diagnostics.push({
        severity: 'error',
        message: `'${name}' cannot be the name of an environment`,
        file,
        ...entry.key,
        hint: 'Use up to 63 of a-z, 0-9, and . _ - after the first.',
      });
    }
    if (tree) written.set(name, { ...tree, at: entry.key });
    else
      diagnostics.push({
        severity: 'error',
        message: `the environment '${name}' is not a map of keys`,
        file,
        ...entry.value.at,
        hint: `Write for instance \`${name}: { provider: local }\`.`,
      });
  }
  const defaults = defaultEnvironments(providers);
  const implicit = new Set([...defaults.keys()].filter((name) => !written.has(name)));
  for (const name of implicit) written.set(name, implicitEnvironment(name));

  const extended = extendAll(written, file, commonKeys);
  diagnostics.push(...extended.diagnostics);
  const environments = new Map<string, Environment>();
  for (const [name, one] of extended.environments) {
    if (implicit.has(name)) continue;
    const read = await readEnvironment({ file, providers }, name, one);
    diagnostics.push(...read.diagnostics);
    if (read.environment) environments.set(name, read.environment);
  }
  for (const [name, environment] of defaults) if (implicit.has(name)) environments.set(name, environment);
  return environments;
}

const nowhere = { line: 1, column: 1 };
/** For others to extend. */
const implicitEnvironment = (provider: string): Branch => ({
  kind: 'map',
  at: nowhere,
  entries: new Map([['provider', { key: nowhere, value: { kind: 'scalar', at: nowhere, value: provider, source: provider } }]]),
});

/** An environment's keys; an environment without any is still one. */
function asEnvironment(tree: Tree): Branch | undefined {
  if (tree.kind === 'map') return tree;
  return isEmpty(tree) ? { kind: 'map', at: tree.at, entries: new Map() } : undefined;
}
