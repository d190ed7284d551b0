// What a client may ask of this machine. Nothing that was asked for is weakened: it is granted or refused.
import { ErrandError } from '@errand/contract';
import type { Json, Resources } from '@errand/contract';
import type { Machine, Profile } from './machine.ts';

export interface Limits {
  /** Milliseconds. */
  readonly timeout?: number;
  /** Bytes. */
  readonly memory?: number;
  /** Cores. */
  readonly cpu?: number;
}

export interface Policy {
  /** Patterns; any image when absent. */
  readonly images?: readonly string[];
  /** The first one is used when a client names none. */
  readonly profiles: readonly string[];
  readonly networks: readonly string[];
  readonly mounts: readonly string[];
  readonly concurrency: number;
  readonly limits: Limits;
}

export interface Wish {
  readonly image?: string;
  readonly resources: Resources;
  readonly options: Json;
}

type Keys = Readonly<Record<string, Json>>;

/** The wish as the machine's provider is to see it, or `provider/refused`. The same wish always gives the same result. */
export function grant<W extends Wish>(machine: Machine, policy: Policy, wish: W): W {
  if (wish.image !== undefined && policy.images && !allowsImage(policy.images, wish.image)) {
    throw refused(`the image ${JSON.stringify(wish.image)} is not one of ${policy.images.join(', ')}`);
  }
  const { profile: named, ...keys } = keysOf(wish.options);
  const profile = profileFor(machine, policy, named);
  for (const [key, value] of Object.entries(keys)) {
    if (machine.free.includes(key)) continue;
    if (key === 'network' && allowsNetwork(policy, value)) continue;
    if (key === 'mounts' && allowsMounts(policy, value)) continue;
    throw refused(`the option ${JSON.stringify(key)} with the value ${JSON.stringify(value)}`);
  }
  const resources = {
    ...limited('memory', wish.resources.memory, policy.limits.memory, profile.limits.memory),
    ...limited('cpu', wish.resources.cpu, policy.limits.cpu, profile.limits.cpu),
  };
  return { ...wish, resources, options: { ...keys, ...profile.options } };
}

/** A job that names no time limit gets the policy's, unless its profile has a shorter one by itself. */
export function grantTimeout(machine: Machine, policy: Policy, wish: Wish & { readonly timeout?: number }) {
  const profile = profileFor(machine, policy, keysOf(wish.options)['profile']);
  return limited('timeout', wish.timeout, policy.limits.timeout, profile.limits.timeout);
}

function limited<K extends keyof Limits>(
  name: K,
  asked: number | undefined,
  most: number | undefined,
  usual: number | undefined,
): { readonly [key in K]?: number } {
  if (asked !== undefined && most !== undefined && asked > most) {
    throw refused(`a ${name} of ${asked}; at most ${most} is allowed`);
  }
  const value = asked ?? (most !== undefined && (usual === undefined || usual > most) ? most : undefined);
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in K]?: number };
}

function profileFor(machine: Machine, policy: Policy, named: Json | undefined): Profile {
  const name = named === undefined ? policy.profiles[0] : named;
  const profile = typeof name === 'string' && policy.profiles.includes(name) ? machine.profiles[name] : undefined;
  if (profile) return profile;
  throw refused(`the profile ${JSON.stringify(name)}; allowed are ${policy.profiles.join(', ')}`);
}

function keysOf(options: Json): Keys {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options as Keys;
  if (options === null) return {};
  throw refused('options that are not a map of keys');
}

function allowsNetwork(policy: Policy, value: Json): boolean {
  return value === 'none' || (typeof value === 'string' && policy.networks.includes(value));
}

function allowsMounts(policy: Policy, value: Json): boolean {
  const below = (path: string) => policy.mounts.some((root) => path === root || path.startsWith(`${root.replace(/\/$/, '')}/`));
  return (
    Array.isArray(value) &&
    (value as readonly Json[]).every((mount) => {
      const source = typeof mount === 'object' && mount !== null && 'source' in mount ? mount['source'] : undefined;
      return typeof source === 'string' && !source.split('/').includes('..') && below(source);
    })
  );
}

function allowsImage(patterns: readonly string[], image: string): boolean {
  const name = /(?::[^/]*|@.*)$/.test(image) ? image : `${image}:latest`;
  return patterns.some((pattern) => matches(pattern, image) || matches(pattern, name));
}

/** `*` does not cross a slash, `**` does. */
export function matches(pattern: string, text: string): boolean {
  const source = pattern.split(/(\*{1,2})/).map((part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^/]*' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source.join('')}$`, 's').test(text);
}

export function refused(what: string): ErrandError {
  return new ErrandError('provider/refused', `the agent's policy does not allow ${what}`, {
    next: 'Change the environment, or ask whoever runs the agent to allow it.',
  });
}
