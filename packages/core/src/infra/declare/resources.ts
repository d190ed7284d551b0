import type { Attributes, ResourceHints } from '@errand/contract';
import type * as z from 'zod';
import { didYouMean } from '../../base/distance.ts';
import { explainIssues } from '../../config/issues.ts';
import { toData, type Branch, type Entry, type Tree } from '../../config/tree.ts';
import type { DeclaredOutput, DeclaredResource, Origin } from '../../model/infra/stack.ts';
import { resourceName } from '../references/parse.ts';
import { referencesIn } from '../references/resolve.ts';
import { within } from '../references/walk.ts';
import { asMap, originAt, pick, report, type Reader } from './reader.ts';
import { outputShape, resourceShape } from './schema.ts';
import { fillPlain, fillTemplate } from './variables.ts';

type Shape = z.output<typeof resourceShape>;

export function readResource(
  reader: Reader,
  name: string,
  entry: Entry,
  providers: readonly string[],
): DeclaredResource | undefined {
  if (!resourceName.test(name) || name === 'env') {
    const why =
      name === 'env'
        ? "'env' cannot be the name of a resource: ${env:X} is a variable"
        : `'${name}' cannot be the name of a resource`;
    report(reader, entry.key, why, 'Use up to 63 letters, digits, _ and -, beginning with a letter.');
    return undefined;
  }
  const tree = asMap(reader, entry.value, name);
  if (!tree) return undefined;
  const config = asMap(reader, tree.entries.get('config')?.value, `${name}.config`);
  const filled = config && fillTemplate(reader, config);
  const rest = fillPlain(
    reader,
    pick(tree, (key) => key !== 'config'),
    'it',
  );
  const parsed = resourceShape.safeParse(toData(rest));
  if (!parsed.success) {
    const found = explainIssues(
      { file: reader.file, tree: { ...rest, at: entry.key }, schema: resourceShape },
      parsed.error.issues,
    );
    reader.diagnostics.push(...found.map((one) => ({ ...one, message: `${name}: ${one.message}` })));
  }
  const provider = providerOf(reader, name, rest, entry, providers);
  if (!filled) return undefined;
  // With a mistake in it the file is refused, but what else it says is still worth checking.
  const data: Partial<Shape> = parsed.data ?? {};
  const attributes = toData(filled) as Attributes;
  const referred = referencesIn(attributes).map((reference) => reference.name);
  return {
    name,
    type: data.type ?? '',
    provider: provider ?? '',
    config: attributes,
    ...(data.size === undefined ? {} : { size: data.size }),
    ...(data.hints === undefined ? {} : { hints: data.hints as ResourceHints }),
    dependsOn: [...new Set([...(data.depends_on ?? []), ...referred])],
    protected: data.protected ?? false,
    lifecycle: {
      createBeforeDestroy: data.lifecycle?.create_before_destroy ?? false,
      ignoreChanges: data.lifecycle?.ignore_changes ?? [],
      preventDestroy: data.lifecycle?.prevent_destroy ?? false,
    },
    adopt: data.adopt ?? false,
    origin: originAt(reader, entry.key),
    origins: originsOf(reader, filled),
  };
}

function providerOf(reader: Reader, name: string, tree: Branch, entry: Entry, providers: readonly string[]): string | undefined {
  const written = tree.entries.get('provider')?.value;
  const [only] = providers;
  if (!written) {
    if (providers.length === 1) return only;
    const hint = providers.length === 0 ? 'Write one under infra.providers.' : `Write one of: ${providers.join(', ')}.`;
    report(reader, entry.key, `${name}: there is no provider`, hint);
    return undefined;
  }
  if (written.kind !== 'scalar' || typeof written.value !== 'string') return undefined;
  if (providers.includes(written.value)) return written.value;
  const hint = didYouMean(written.value, providers) ?? `Known are: ${providers.join(', ')}.`;
  report(reader, written.at, `${name}: there is no provider '${written.value}' under infra.providers`, hint);
  return undefined;
}

function originsOf(reader: Reader, config: Branch): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  const visit = (tree: Tree, path: string) => {
    if (tree.kind === 'map') {
      for (const [key, entry] of tree.entries) {
        origins.set(within(path, key), originAt(reader, entry.key));
        visit(entry.value, within(path, key));
      }
    } else if (tree.kind === 'list') {
      for (const [at, item] of tree.items.entries()) {
        origins.set(within(path, String(at)), originAt(reader, item.at));
        visit(item, within(path, String(at)));
      }
    }
  };
  visit(config, '');
  return origins;
}

/** A plain value is short for `{ value: … }`. */
export function readOutput(reader: Reader, name: string, entry: Entry): DeclaredOutput | undefined {
  const origin = originAt(reader, entry.key);
  if (!resourceName.test(name)) {
    report(
      reader,
      entry.key,
      `'${name}' cannot be the name of an output`,
      'Use up to 63 letters, digits, _ and -, beginning with a letter.',
    );
    return undefined;
  }
  if (entry.value.kind !== 'map') return { name, value: toData(fillTemplate(reader, entry.value)), sensitive: false, origin };
  const tree = fillTemplate(reader, entry.value);
  const parsed = outputShape.safeParse(toData(tree));
  const value = tree.entries.get('value');
  if (!parsed.success || !value) {
    const real = parsed.error?.issues.filter((issue) => issue.path[0] !== 'value') ?? [];
    const issues = explainIssues({ file: reader.file, tree, schema: outputShape }, real);
    reader.diagnostics.push(...issues.map((one) => ({ ...one, message: `outputs.${name}: ${one.message}` })));
    if (!value)
      report(reader, entry.key, `outputs.${name}: there is no value`, `Write \`${name}: { value: "\${resource.field}" }\`.`);
    return undefined;
  }
  return { name, value: toData(value.value), sensitive: parsed.data.sensitive ?? false, origin };
}
