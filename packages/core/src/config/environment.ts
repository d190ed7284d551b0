import { dirname } from 'node:path';
import type { Command, Diagnostic, Json, ProviderDefinition } from '@errand/contract';
import type { ZodType } from 'zod';
import { didYouMean } from '../base/distance.ts';
import type { Extended } from './extend.ts';
import { explainIssues, keysAt, unknownKey } from './issues.ts';
import { defaultGrace, defaultTtl } from './defaults.ts';
import { common, commonKeys, type Common } from './schema.ts';
import { isEmpty, mapScalars, toData, type Branch, type Scalar } from './tree.ts';
import type { Environment } from './types.ts';

type Definition = Pick<ProviderDefinition, 'options'>;

export interface EnvironmentContext {
  readonly file: string;
  readonly providers: ReadonlyMap<string, Definition>;
}

/** One environment, its parents' keys already merged in. The environment is absent when anything is wrong with it. */
export async function readEnvironment(
  context: EnvironmentContext,
  name: string,
  extended: Extended,
): Promise<{ readonly environment?: Environment; readonly diagnostics: readonly Diagnostic[] }> {
  const { file } = context;
  const tree = asText(extended.tree);
  const shared = only(tree, (key) => commonKeys.has(key));
  const parsed = common.safeParse(toData(shared));
  const issues = parsed.error?.issues ?? [];
  // Behind a broken `extends`, the provider may have been meant to be inherited.
  const real = extended.whole ? issues : issues.filter((issue) => issue.path[0] !== 'provider' || tree.entries.has('provider'));
  const diagnostics = explainIssues({ file, tree: shared, schema: common }, real);

  const definition = findProvider(context, tree, diagnostics);
  const rest = only(tree, (key) => !commonKeys.has(key));
  const options = definition
    ? await readOptions(file, rest, await definition.options({ directory: dirname(file) }), diagnostics)
    : {};
  if (diagnostics.length > 0 || !extended.whole || !parsed.success || !definition) return { diagnostics };
  return { environment: assemble(name, parsed.data, options), diagnostics };
}

function findProvider(context: EnvironmentContext, tree: Branch, diagnostics: Diagnostic[]): Definition | undefined {
  const named = tree.entries.get('provider')?.value;
  if (named?.kind !== 'scalar' || typeof named.value !== 'string') return undefined;
  const definition = context.providers.get(named.value);
  if (!definition) {
    const known = [...context.providers.keys()];
    diagnostics.push({
      severity: 'error',
      message: `provider: there is no provider '${named.source}'`,
      file: context.file,
      ...named.at,
      hint: didYouMean(named.value, known) ?? `Known are: ${known.join(', ')}.`,
    });
  }
  return definition;
}

/** A provider's own keys. `otherKeys` may stand beside them and were read elsewhere. */
export async function readOptions(
  file: string,
  tree: Branch,
  schema: ZodType,
  diagnostics: Diagnostic[],
  otherKeys: Iterable<string> = commonKeys,
): Promise<Json> {
  const context = { file, tree, schema, otherKeys };
  const known = keysAt(schema, []);
  // A schema that is not strict would drop what it does not know, and the person would never hear of the typo.
  const strange = isClosed(schema) ? [...tree.entries.keys()].filter((key) => !known.includes(key)) : [];
  diagnostics.push(...strange.map((key) => unknownKey(context, [], key)));
  const parsed = await schema.safeParseAsync(toData(only(tree, (key) => !strange.includes(key))));
  if (!parsed.success) {
    diagnostics.push(...explainIssues(context, parsed.error.issues));
    return {};
  }
  return JSON.parse(JSON.stringify(parsed.data ?? {})) as Json;
}

/** True for an object schema that does not ask for further keys. */
function isClosed(schema: ZodType): boolean {
  if (!('shape' in schema)) return false;
  const rest = 'catchall' in schema.def ? (schema.def.catchall as ZodType | undefined) : undefined;
  return rest === undefined || rest.def.type === 'never';
}

/** Variables, labels and arguments are text: `1.10` and `0x1F` mean what is written. Maps and lists that were left empty are empty. */
function asText(tree: Branch): Branch {
  const entries = [...tree.entries]
    .filter(([key, entry]) => !(maps.has(key) && isEmpty(entry.value)))
    .map(([key, entry]) => [key, texts.has(key) ? { ...entry, value: mapScalars(entry.value, toText) } : entry] as const);
  return { ...tree, entries: new Map(entries) };
}

const texts = new Set(['env', 'labels', 'provision']);
const maps = new Set(['env', 'labels', 'resources', 'lease', 'provision']);

function toText(scalar: Scalar): Scalar {
  if (typeof scalar.value === 'number') return { ...scalar, value: scalar.source };
  return typeof scalar.value === 'boolean' ? { ...scalar, value: String(scalar.value) } : scalar;
}

function only(tree: Branch, keep: (key: string) => boolean): Branch {
  return { ...tree, entries: new Map([...tree.entries].filter(([key]) => keep(key))) };
}

function toCommand(step: string | readonly string[]): Command {
  return typeof step === 'string' ? { script: step } : { argv: step };
}

function assemble(name: string, data: Common, options: Json): Environment {
  const variables = Object.entries(data.env ?? {});
  return {
    name,
    provider: data.provider,
    options,
    ...(data.image === undefined ? {} : { image: data.image }),
    resources: {
      ...(data.resources?.cpu === undefined ? {} : { cpu: data.resources.cpu }),
      ...(data.resources?.memory === undefined ? {} : { memory: data.resources.memory }),
    },
    env: Object.fromEntries(variables.flatMap(([key, value]) => (typeof value === 'object' ? [] : [[key, String(value)]]))),
    secretEnv: Object.fromEntries(variables.flatMap(([key, value]) => (typeof value === 'object' ? [[key, value.secret]] : []))),
    lease: { policy: data.lease?.policy ?? 'fresh', ttl: data.lease?.ttl ?? defaultTtl },
    ...(data.warm ? { warm: data.warm } : {}),
    ...(data.provision?.length ? { provision: data.provision.map(toCommand) } : {}),
    ...(data.timeout === undefined ? {} : { timeout: data.timeout }),
    ...(data.pending_timeout === undefined ? {} : { pendingTimeout: data.pending_timeout }),
    grace: data.grace ?? defaultGrace,
    labels: Object.fromEntries(Object.entries(data.labels ?? {}).map(([key, value]) => [key, String(value)])),
  };
}
