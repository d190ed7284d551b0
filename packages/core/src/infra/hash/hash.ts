// The hashes of the public contract. They are compared with what other implementations wrote, so not a byte may differ.
import { createHash } from 'node:crypto';
import type { Attributes, ResourceSpec } from '@errand/contract';
import type { Stack } from '../../model/infra/stack.ts';
import { byBytes, goObject } from './go-json.ts';

/** Of one resource's config; empty for an empty one. */
export function configHash(config: Attributes): string {
  const keys = Object.keys(config).toSorted(byBytes);
  if (keys.length === 0) return '';
  return sha256(
    `[${keys
      .map((key) =>
        goObject([
          ['K', key],
          ['V', config[key]],
        ]),
      )
      .join(',')}]`,
  );
}

/** Of all that is wanted, whatever the order it was written in. */
export function desiredHash(specs: readonly ResourceSpec[]): string {
  const sorted = specs.toSorted((a, b) => byBytes(a.name, b.name));
  const hash = createHash('sha256').update('[');
  for (const [at, spec] of sorted.entries()) hash.update(at === 0 ? specJson(spec) : `,${specJson(spec)}`);
  return hash.update(']').digest('hex');
}

/** References stand as written, variables are filled in: the same file in the same surroundings has the same hash. */
export function stackHash(stack: Stack): string {
  return desiredHash([...stack.resources.values()]);
}

/** Tells whether an input changed without saying what it was. */
export function fingerprint(value: string): string {
  return sha256(value).slice(0, 16);
}

function specJson(spec: ResourceSpec): string {
  const hints = spec.hints && compact({ cpu: spec.hints.cpu, memory: spec.hints.memory, storage: spec.hints.storage });
  const members: (readonly [string, unknown])[] = [
    ['name', spec.name],
    ['type', spec.type],
    ['config', spec.config],
  ];
  if (spec.size) members.push(['size', spec.size]);
  if (hints) members.push(['hints', hints]);
  if (spec.dependsOn.length > 0) members.push(['depends_on', spec.dependsOn]);
  return goObject(members);
}

function compact(members: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(members).flatMap(([key, value]) => (value ? [[key, value]] : [])));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
