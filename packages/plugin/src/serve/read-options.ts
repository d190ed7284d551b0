import { ErrandError } from '@errand/contract';
import type { Diagnostic, Json, Provider, ProviderDefinition } from '@errand/contract';

type Definition = Pick<ProviderDefinition, 'name' | 'options'>;
type Reading = { readonly options: Json } | { readonly problems: readonly Diagnostic[] };

/**
 * A host in another language cannot read an environment's options with our schema, so it sends them as they were written,
 * and says where. Each is read once; the provider sees what it would see in its host's process.
 */
export function readingOptions(provider: Provider, definition: Definition, directory: string): Provider {
  const known = new Map<string, Promise<Reading>>();
  const read = (options: Json): Promise<Reading> => {
    const key = JSON.stringify(options);
    const reading = known.get(key) ?? parse(definition, directory, options);
    known.set(key, reading);
    return reading;
  };
  const readSpec = async <S extends { readonly options: Json }>(spec: S): Promise<S> => {
    const reading = await read(spec.options);
    if ('options' in reading) return { ...spec, options: reading.options };
    const told = reading.problems.map(({ message }) => message).join('; ');
    throw new ErrandError('config/invalid', `read the options for ${definition.name}: ${told}`, {
      next: 'Correct them in the environment.',
      diagnostics: reading.problems,
    });
  };
  const { host, runner } = provider;
  return {
    ...provider,
    ...(host && { host: { ...host, acquire: async (spec, call) => host.acquire(await readSpec(spec), call) } }),
    ...(runner && { runner: { ...runner, start: async (spec, call) => runner.start(await readSpec(spec), call) } }),
    check: async (request, ask) => {
      const reading = await read(request.options);
      if ('problems' in reading) return reading.problems;
      return (await provider.check?.({ ...request, options: reading.options }, ask)) ?? [];
    },
  };
}

async function parse({ name, options: load }: Definition, directory: string, options: Json): Promise<Reading> {
  const schema = await load({ directory });
  const parsed = await schema.safeParseAsync(options ?? {});
  if (parsed.success) return { options: JSON.parse(JSON.stringify(parsed.data ?? {})) as Json };
  const problems = parsed.error.issues.map(({ path, message }) => ({
    severity: 'error' as const,
    message: path.length === 0 ? `${name}: ${message}` : `${path.map(String).join('.')}: ${message}`,
  }));
  return { problems };
}
