// The shape of a saved plan, as far as an apply relies on it. Loads zod, so only `file.ts` imports it, and only to read.
import * as z from 'zod';

const attributes = z.record(z.string(), z.json());
const names = z.array(z.string());

const step = z.looseObject({
  id: z.string().min(1),
  do: z.enum(['create', 'update', 'delete', 'replace', 'forget', 'read']),
  after: names,
  deposed: z.string().optional(),
});

const record = z.looseObject({
  name: z.string(),
  type: z.string(),
  provider: z.string(),
  use: z.string(),
  providerId: z.string(),
  config: attributes,
  configHash: z.string(),
  secrets: z.record(z.string(), z.string()).optional(),
  source: z.enum(['apply', 'adoption', 'import']),
  outputs: attributes,
  sensitive: names,
  status: z.string(),
  dependencies: names,
  protected: z.boolean(),
  createBeforeDestroy: z.boolean(),
  owner: z.string().optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  driftCheckedAt: z.number().optional(),
  deposed: z.array(z.object({ key: z.string(), providerId: z.string(), outputs: attributes })),
  tainted: z.boolean(),
});

const change = z.object({
  path: z.string(),
  old: z.json().optional(),
  new: z.json().optional(),
  forceNew: z.boolean(),
  sensitive: z.boolean(),
  unknown: z.boolean(),
});

const action = z.looseObject({
  kind: z.enum(['create', 'update', 'replace', 'delete', 'forget', 'read']),
  resource: z.string().min(1),
  type: z.string(),
  provider: z.string(),
  because: names,
  steps: z.array(step).min(1),
  desired: z
    .looseObject({
      config: attributes,
      unknown: names,
      sensitive: names,
      size: z.enum(['xs', 's', 'm', 'l', 'xl']).optional(),
      hints: z.object({ cpu: z.string().optional(), memory: z.string().optional(), storage: z.string().optional() }).optional(),
      dependsOn: names,
      protected: z.boolean(),
      createBeforeDestroy: z.boolean(),
      adopt: z.boolean(),
    })
    .optional(),
  current: record.optional(),
  changes: z.array(change),
});

export const planSchema = z.looseObject({
  format: z.literal(1),
  id: z.string().min(1),
  createdAt: z.number(),
  stack: z.string(),
  lineage: z.string(),
  serial: z.int(),
  desiredHash: z.string(),
  inputs: z.record(z.string(), z.string()),
  providers: z.array(z.object({ name: z.string(), use: z.string(), version: z.string() })),
  purpose: z.enum(['apply', 'destroy']),
  actions: z.array(action),
  refreshed: z.array(record),
  drift: z.array(
    z.object({ resource: z.string(), type: z.string(), class: z.enum(['ghost', 'config']), changes: z.array(change) }),
  ),
  outputs: z.record(z.string(), z.object({ value: z.json(), unknown: z.boolean(), sensitive: z.boolean() })),
  diagnostics: z.array(z.looseObject({ severity: z.enum(['info', 'warning', 'error']), message: z.string() })),
  unchanged: z.int(),
  excluded: names,
});
