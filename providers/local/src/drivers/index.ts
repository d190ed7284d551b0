import { realpathSync } from 'node:fs';
import type { Driver, Infra, Json, PlanDiagnostic, Validator } from '@errand/contract';
import type { z } from 'zod';
import { isUnknown, problems } from './config.ts';
import { directoryDriver, directorySchema } from './directory.ts';
import { fileDriver, fileSchema } from './file.ts';
import { processDriver, processSchema } from './process.ts';
import { openRecords } from './records.ts';

const schemas: Readonly<Record<string, z.ZodType>> = {
  'local.file': fileSchema,
  'local.directory': directorySchema,
  'local.process': processSchema,
};

export function createInfra(home: string, config: Json): Infra {
  const root = realpathSync(rootIn(config));
  const records = openRecords(home);
  const drivers = new Map<string, Driver>([
    ['local.file', fileDriver(root, records)],
    ['local.directory', directoryDriver(root, records)],
    ['local.process', processDriver(root, records)],
  ]);
  return { drivers, validator };
}

function rootIn(config: Json): string {
  const { root } = config as { readonly root?: Json };
  return typeof root === 'string' ? root : process.cwd();
}

/** Tells at plan time what `create` would refuse. What is known after apply cannot be looked at yet. */
const validator: Validator = {
  validate: async (plan) =>
    plan.actions.flatMap(({ action, resource }): PlanDiagnostic[] => {
      const schema = schemas[resource.type];
      if (!schema || action === 'delete' || isUnknown(resource.config)) return [];
      const read = schema.safeParse(resource.config);
      if (read.success) return [];
      return [{ severity: 'error', resource: resource.name, field: '', message: problems(read.error) }];
    }),
};
