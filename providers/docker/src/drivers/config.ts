import { isDeepStrictEqual } from 'node:util';
import { ErrandError } from '@errand/contract';
import type { Attributes, FieldChange, Json, ResourceDiff, ResourceSpec } from '@errand/contract';
import { z } from 'zod';

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

export const port = z.int().min(1).max(65_535);
export const variables = z.record(z.string().regex(/^[^=\0]+$/, 'must be the name of a variable'), z.string());
export const cpu = z.union([z.number().positive(), z.string().regex(/^\d+(\.\d+)?$/, 'must be a number of CPUs, such as 0.5')]);
const memoryForm = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|K|M|G|T)?$/;
export const memory = z.union([z.int().positive(), z.string().regex(memoryForm, 'must be an amount such as 512Mi or 2Gi')]);

const units: Readonly<Record<string, number>> = {
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
};

export function bytes(amount: string | number): number {
  const [, count = '', unit = ''] = memoryForm.exec(String(amount)) ?? [];
  return Math.round(Number(count) * (units[unit] ?? 1));
}

/** What is known after apply still stands as it was written. */
export function isUnknown(value: Json | undefined): boolean {
  if (typeof value === 'string') return /(^|[^$])\$\{/.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isUnknown);
}

/** Old values of these are not told: they may be secret. */
const hidden = new Set(['env_vars', 'env_vars_secret']);

export interface DiffRules {
  readonly forceNew: readonly string[];
  /** Values that an absent key stands for. */
  readonly defaults?: Attributes;
}

/** Key by key, and inside the variables name by name. */
export function diffConfig(
  desired: Attributes,
  applied: Attributes,
  rules: DiffRules,
  more: readonly FieldChange[] = [],
): ResourceDiff {
  const changes = [...more];
  const note = (path: string, old: Json | undefined, wanted: Json | undefined, secret: boolean, forceNew: boolean) => {
    if (isDeepStrictEqual(old, wanted)) return;
    changes.push({
      path,
      ...(old === undefined || secret ? {} : { old }),
      ...(wanted === undefined ? {} : { new: wanted }),
      forceNew,
    });
  };
  for (const key of new Set([...Object.keys(desired), ...Object.keys(applied)])) {
    const [old, wanted] = [applied[key] ?? rules.defaults?.[key], desired[key] ?? rules.defaults?.[key]];
    const forceNew = rules.forceNew.includes(key);
    if (!hidden.has(key) || !isRecord(old ?? {}) || !isRecord(wanted ?? {})) note(key, old, wanted, hidden.has(key), forceNew);
    else {
      const [had, wants] = [(old ?? {}) as Attributes, (wanted ?? {}) as Attributes];
      for (const name of new Set([...Object.keys(had), ...Object.keys(wants)]))
        note(`${key}.${name}`, had[name], wants[name], true, forceNew);
    }
  }
  const needsReplace = changes.some((change) => change.forceNew);
  return { needsUpdate: changes.length > 0 && !needsReplace, needsReplace, changes };
}

const isRecord = (value: Json) => typeof value === 'object' && value !== null && !Array.isArray(value);
