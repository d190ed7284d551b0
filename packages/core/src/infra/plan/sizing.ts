import type { Ask, Attributes, Infra } from '@errand/contract';
import type { DeclaredResource } from '../../model/infra/stack.ts';
import { defaultSizing } from '../canonical/sizing.ts';
import type { OpenProviders } from './providers.ts';

/** Asks each provider once for each kind of size. */
export function createSizing(providers: OpenProviders, ask: Ask) {
  const known = new Map<string, Promise<Attributes>>();
  return async function sized(resource: DeclaredResource): Promise<Attributes> {
    const { size, hints = {}, type, provider, config } = resource;
    if (size === undefined) return config;
    const infra = providers.opened.get(provider)?.infra;
    const key = JSON.stringify([provider, type, size, hints.cpu, hints.memory, hints.storage]);
    const asked = known.get(key) ?? follow(infra, type, size, hints, ask);
    known.set(key, asked);
    const understood = infra?.drivers.get(type)?.configKeys;
    const follows = Object.entries(await asked).filter(([name]) => !understood || understood.includes(name));
    // What is written comes before what follows from the size.
    return { ...Object.fromEntries(follows), ...config };
  };
}

async function follow(
  infra: Infra | undefined,
  type: string,
  size: NonNullable<DeclaredResource['size']>,
  hints: NonNullable<DeclaredResource['hints']>,
  ask: Ask,
): Promise<Attributes> {
  const told = await infra?.sizing?.(type, size, hints, ask);
  if (!told) return defaultSizing(type, size, hints);
  return { ...(told.instanceType !== '' && { instance_type: told.instanceType }), ...told.specs };
}
