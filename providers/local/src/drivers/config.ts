import { ErrandError } from '@errand/contract';
import type { Attributes, FieldChange, Json, ResourceDiff, ResourceSpec } from '@errand/contract';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** Octal, as text: YAML reads a bare 0644 as six hundred and forty-four. */
export const modeText = z.string().regex(/^0?[0-7]{3,4}$/, 'must be an octal mode in quotes, such as "0644"');

export const octal = (mode: number) => `0${(mode & 0o7777).toString(8).padStart(3, '0')}`;

/** Every problem of a config at once. */
export function readConfig<T>(schema: z.ZodType<T>, spec: ResourceSpec): T {
  const read = schema.safeParse(spec.config);
  if (read.success) return read.data;
  throw new ErrandError('provider/refused', `the config of ${spec.type} ${spec.name} is wrong: ${problems(read.error)}`, {
    next: `Correct the config of ${spec.name}.`,
  });
}

export function problems(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`).join('; ');
}

/** One field: as it is, as it is wanted, and whether a change needs a new resource. */
export type Compared = readonly [path: string, old: Json | undefined, wanted: Json | undefined, forceNew: boolean];

export function diffOf(fields: readonly Compared[]): ResourceDiff {
  const changes = fields
    .filter(([, old, wanted]) => !isDeepStrictEqual(old, wanted))
    .map(([path, old, wanted, forceNew]): FieldChange => {
      return { path, ...(old === undefined ? {} : { old }), ...(wanted === undefined ? {} : { new: wanted }), forceNew };
    });
  const needsReplace = changes.some((change) => change.forceNew);
  return { needsUpdate: changes.length > 0 && !needsReplace, needsReplace, changes };
}

/** What is known after apply still stands as it was written. */
export function isUnknown(value: Json | undefined): boolean {
  if (typeof value === 'string') return /(^|[^$])\$\{/.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isUnknown);
}

export const textIn = (config: Attributes, key: string): string | undefined => {
  const value = config[key];
  return typeof value === 'string' ? value : undefined;
};

/** As an output would say it. */
export const comparedPath = (root: string, path: Json | undefined) =>
  typeof path === 'string' && !isUnknown(path) ? resolve(root, path) : path;
export const comparedMode = (mode: Json) =>
  typeof mode === 'string' && !isUnknown(mode) ? octal(Number.parseInt(mode, 8)) : mode;
