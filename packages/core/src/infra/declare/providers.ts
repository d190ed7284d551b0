import { dirname } from 'node:path';
import { isErrandError } from '@errand/contract';
import type { Diagnostic, ErrorCode, ProviderDefinition } from '@errand/contract';
import { didYouMean } from '../../base/distance.ts';
import { invalidConfig } from '../../config/diagnose.ts';
import { readOptions } from '../../config/environment.ts';
import { toData, type Branch, type Entry } from '../../config/tree.ts';
import type { DeclaredBackend, DeclaredProvider } from '../../model/infra/stack.ts';
import { explainIssues } from '../../config/issues.ts';
import { asMap, originAt, pick, report, type Reader } from './reader.ts';
import { backendShape } from './schema.ts';
import { fillPlain } from './variables.ts';

/** `use` may be left out where the name says it. The rest is the provider's own. */
export async function readProvider(
  reader: Reader,
  name: string,
  entry: Entry,
  definitions: ReadonlyMap<string, ProviderDefinition>,
): Promise<DeclaredProvider | undefined> {
  const what = `infra.providers.${name}`;
  const written = asMap(reader, entry.value, what);
  if (!written) return undefined;
  const tree = fillPlain(reader, written, 'a provider');
  const used = tree.entries.get('use')?.value;
  if (used && (used.kind !== 'scalar' || typeof used.value !== 'string')) {
    report(reader, used.at, `${what}.use: expected the name of a provider, as text`);
    return undefined;
  }
  const use = used?.kind === 'scalar' ? String(used.value) : name;
  const definition = definitions.get(use);
  if (!definition?.infraOptions) {
    const known = [...definitions.values()].filter((one) => one.infraOptions).map((one) => one.name);
    const why = definition ? `the provider '${use}' has no resources` : `there is no provider '${use}'`;
    report(reader, used?.at ?? entry.key, `${what}: ${why}`, didYouMean(use, known) ?? `Known are: ${known.join(', ')}.`);
    return undefined;
  }
  const own = pick(tree, (key) => key !== 'use');
  const schema = await definition.infraOptions({ directory: dirname(reader.file) });
  const config = await readOptions(reader.file, own, schema, reader.diagnostics, ['use']);
  return { name, use, config, origin: originAt(reader, entry.key) };
}

/** What a provider that was opened says against its entry. */
const against: ReadonlySet<ErrorCode> = new Set([
  ...(['config/invalid', 'infra/invalid', 'usage/invalid', 'provider/refused', 'provider/unknown'] as const),
  ...(['environment/unsupported', 'secret/invalid', 'secret/missing', 'secret/refused'] as const),
]);

/** A plugin reads its own keys, so what is wrong with them is known when it is opened; it is told with the line all the same. */
export function refusedAt({ name, origin }: DeclaredProvider, error: unknown, redact: (text: string) => string): unknown {
  if (!origin || !isErrandError(error) || !against.has(error.code)) return error;
  const { message, next } = error;
  const told: Diagnostic = { severity: 'error', message: redact(`infra.providers.${name}: ${message}`), ...origin };
  return invalidConfig(origin.file, [next === undefined ? told : { ...told, hint: redact(next) }]);
}

export function readBackend(reader: Reader, entry: Entry, providers: Iterable<string>): DeclaredBackend | undefined {
  const written = asMap(reader, entry.value, 'infra.backend');
  if (!written) return undefined;
  const tree: Branch = fillPlain(reader, written, 'the backend');
  const parsed = backendShape.safeParse(toData(tree));
  if (!parsed.success) {
    reader.diagnostics.push(...explainIssues({ file: reader.file, tree, schema: backendShape }, parsed.error.issues));
    return undefined;
  }
  const { provider, name } = parsed.data;
  const known = [...providers];
  if (!known.includes(provider)) {
    const at = tree.entries.get('provider')?.value.at ?? entry.key;
    report(reader, at, `infra.backend: there is no provider '${provider}' under infra.providers`, didYouMean(provider, known));
  }
  const config = tree.entries.get('config');
  return { provider, name, config: config ? toData(config.value) : {}, origin: originAt(reader, entry.key) };
}
