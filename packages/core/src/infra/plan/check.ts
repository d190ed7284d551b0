// What can be said about a resource once its provider is open: is there such a type, does it know these keys?
import type { Diagnostic } from '@errand/contract';
import { didYouMean } from '../../base/distance.ts';
import type { DeclaredResource, Origin } from '../../model/infra/stack.ts';
import { canonicalKeys, canonicalType } from '../canonical/keys.ts';
import type { Decided } from './decide.ts';
import type { OpenProviders } from './providers.ts';

const canonical: ReadonlySet<string> = new Set(canonicalKeys);

export async function checkResources(
  providers: Pick<OpenProviders, 'opened'>,
  resources: Iterable<DeclaredResource>,
): Promise<readonly Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  const shapes: DeclaredResource[] = [];
  for (const resource of resources) {
    const opened = providers.opened.get(resource.provider);
    if (!opened) continue;
    const { drivers, canonicalKeys: supported } = opened.infra;
    const driver = drivers.get(resource.type);
    if (!driver) {
      const types = [...drivers.keys()];
      const offers = types.length === 0 ? 'It offers no types.' : `It offers: ${types.join(', ')}.`;
      const message = `${resource.name}: the provider '${resource.provider}' has no type '${resource.type}'`;
      diagnostics.push(problem(resource.origin, message, didYouMean(resource.type, types) ?? offers));
      continue;
    }
    diagnostics.push(...strangeKeys(resource, driver.configKeys, supported));
    if (resource.type === canonicalType) shapes.push(resource);
  }
  if (shapes.length > 0) {
    const { checkShape } = await import('../canonical/schema.ts');
    for (const resource of shapes) {
      const found = checkShape(resource.config);
      diagnostics.push(
        ...found.map(({ path, message }) => problem(originOf(resource, path), `${resource.name}: ${path}: ${message}`)),
      );
    }
  }
  return diagnostics;
}

/** Where a successor would have to be made first and the platform cannot have both. */
export function checkOrders(
  { opened }: OpenProviders,
  decided: Iterable<Decided>,
  createsFirst: (name: string) => boolean,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const { candidate, verdict } of decided) {
    const { name, type, provider, lifecycle, origin } = candidate.resource;
    const asked = lifecycle.createBeforeDestroy;
    if (!createsFirst(name) || !(asked || verdict.kind === 'replace')) continue;
    if (!opened.get(provider)?.infra.drivers.get(type)?.oneName) continue;
    const why = asked ? '' : ', which something that depends on it asks for';
    const message = `${name}: a new '${type}' cannot be created before the old one is destroyed${why}: both would have one name`;
    diagnostics.push(problem(origin, message, 'Remove create_before_destroy, or give the new resource another name.'));
  }
  return diagnostics;
}

function strangeKeys(
  resource: DeclaredResource,
  understood: readonly string[] | undefined,
  supported: readonly string[] | undefined,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const key of Object.keys(resource.config)) {
    const unsupported = canonical.has(key) && supported !== undefined && !supported.includes(key);
    const strange = understood !== undefined && !understood.includes(key);
    if (!strange && !(unsupported && understood === undefined)) continue;
    const message = unsupported
      ? `${resource.name}: the provider '${resource.provider}' does not support '${key}'`
      : `${resource.name}: '${resource.type}' has no key '${key}'`;
    const known = understood ?? supported ?? [];
    diagnostics.push(problem(originOf(resource, key), message, didYouMean(key, known) ?? `Known are: ${known.join(', ')}.`));
  }
  return diagnostics;
}

export function originOf(resource: DeclaredResource | undefined, path: string): Origin | undefined {
  for (let here = path; here !== ''; here = here.includes('.') ? here.slice(0, here.lastIndexOf('.')) : '') {
    const found = resource?.origins?.get(here);
    if (found) return found;
  }
  return resource?.origin;
}

export function problem(origin: Origin | undefined, message: string, hint?: string): Diagnostic {
  return { severity: 'error', message, ...origin, ...(hint === undefined ? {} : { hint }) };
}
