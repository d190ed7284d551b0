// From the `infra` section of errand.yaml to what is wanted. Loads zod: import it only when infrastructure is asked for.
import { ErrandError, isErrandError } from '@errand/contract';
import type { Diagnostic, ProviderDefinition } from '@errand/contract';
import { invalidConfig, orderDiagnostics } from '../../config/diagnose.ts';
import type { Config } from '../../config/types.ts';
import { isEmpty, type Branch, type Entry } from '../../config/tree.ts';
import type { DeclaredOutput, DeclaredProvider, DeclaredResource, Stack } from '../../model/infra/stack.ts';
import { fingerprint } from '../hash/hash.ts';
import { checkCircles, checkReferences, secretsIn } from './connect.ts';
import { layOver, plainStack } from './overlay.ts';
import { readBackend, readProvider } from './providers.ts';
import { asMap, refuseOtherKeys, type Reader } from './reader.ts';
import { readOutput, readResource } from './resources.ts';
import { stackKeys } from './schema.ts';

export interface StackOptions {
  /** An entry of `infra.environments`; none: the section as it stands. */
  readonly env?: string;
  readonly providers: ReadonlyMap<string, ProviderDefinition>;
  /** Another text for another value of the secret. Without it secrets are no inputs. */
  readonly secretVersion?: (reference: string) => Promise<string>;
}

/** Throws `config/invalid` with every problem of the section, `environment/unknown`, or `infra/invalid` when there is no section. */
export async function readStack(config: Config, options: StackOptions): Promise<Stack> {
  const { file = 'errand.yaml', infra } = config;
  if (!infra) {
    throw new ErrandError(
      'infra/invalid',
      config.file ? `there is no infra section in ${file}` : 'there is no errand.yaml with an infra section',
      {
        next: 'Write `infra:` with `providers:` and `resources:` in errand.yaml.',
      },
    );
  }
  const reader: Reader = { file, variables: infra.variables, diagnostics: [], used: new Map() };
  const root = asMap(reader, infra.tree, 'infra');
  if (!root) throw invalidConfig(file, reader.diagnostics);
  refuseOtherKeys(reader, root, 'infra', stackKeys);
  const stack = await readSections(reader, layOver(reader, root, options.env), options);
  const inputs = await readInputs(reader, stack, options);
  const diagnostics = orderDiagnostics(reader.diagnostics);
  if (diagnostics.some((one) => one.severity === 'error')) throw invalidConfig(file, diagnostics);
  return { name: options.env ?? plainStack, ...stack, inputs };
}

/** The stacks that the file describes, that without an environment first. */
export function stackNames(config: Config): readonly string[] {
  const tree = config.infra?.tree;
  const overlays = tree?.kind === 'map' ? tree.entries.get('environments')?.value : undefined;
  return [plainStack, ...(overlays?.kind === 'map' ? overlays.entries.keys() : [])];
}

type Sections = Omit<Stack, 'name' | 'inputs'>;

async function readSections(reader: Reader, root: Branch, options: StackOptions): Promise<Sections> {
  const section = (key: string) =>
    asMap(reader, root.entries.get(key)?.value, `infra.${key}`)?.entries ?? new Map<string, Entry>();
  const written = section('providers');
  const providers = new Map<string, DeclaredProvider>();
  for (const [name, entry] of written) {
    const provider = await readProvider(reader, name, entry, options.providers);
    if (provider) providers.set(name, provider);
  }
  const providerNames = [...written.keys()];
  const resources = new Map<string, DeclaredResource>();
  const entries = section('resources');
  for (const [name, entry] of entries) {
    const resource = readResource(reader, name, entry, providerNames);
    if (resource) resources.set(name, resource);
  }
  const outputs = new Map<string, DeclaredOutput>();
  for (const [name, entry] of section('outputs')) {
    const output = readOutput(reader, name, entry);
    if (output) outputs.set(name, output);
  }
  reader.diagnostics.push(...checkReferences({ resources, outputs }, new Set(entries.keys())), ...checkCircles(resources));
  const entry = root.entries.get('backend');
  const backend = entry && !isEmpty(entry.value) ? readBackend(reader, entry, providerNames) : undefined;
  return { providers, resources, outputs, ...(backend && { backend }) };
}

async function readInputs(reader: Reader, stack: Sections, options: StackOptions): Promise<ReadonlyMap<string, string>> {
  const inputs = new Map([...reader.used].map(([name, value]) => [name, fingerprint(value)]));
  const secrets = secretsIn(stack.resources.values(), reader.diagnostics);
  const { secretVersion } = options;
  if (!secretVersion) return inputs;
  for (const [reference, origin] of secrets) {
    try {
      inputs.set(reference, await secretVersion(reference));
    } catch (error) {
      if (!isErrandError(error)) throw error;
      const told: Diagnostic = { severity: 'error', message: error.message, ...origin };
      reader.diagnostics.push(error.next === undefined ? told : { ...told, hint: error.next });
    }
  }
  return inputs;
}
