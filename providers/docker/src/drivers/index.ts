import type { Driver, Infra, Json, PlanDiagnostic, Validator } from '@errand/contract';
import type { z } from 'zod';
import { defaultAddress } from '../address.ts';
import { field, text } from '../answers.ts';
import { cache } from './cache.ts';
import { logCapture } from './capture.ts';
import type { ResourceEngine } from './client.ts';
import { isUnknown, problems } from './config.ts';
import { containerService } from './container-service.ts';
import { database } from './database.ts';
import { enumerator, importer } from './enumerate.ts';
import { networkDriver, networkSchema } from './network.ts';
import { registry } from './registry.ts';
import { openResourceEngine } from './sdk.ts';
import { sizing } from './sizing.ts';
import { volumeDriver, volumeSchema } from './volume.ts';
import { workloadDriver } from './workload-driver.ts';
import type { Place } from './workload-driver.ts';

const workloads = [containerService, database, cache, registry];

const schemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['infra.vpc', networkSchema],
  ['infra.volume', volumeSchema],
  ['infra.storage', volumeSchema],
  ...workloads.map((one) => [one.type, one.schema] as const),
]);

export interface OpenInfra extends Disposable {
  readonly infra: Infra;
}

export function openInfra(config: Json): OpenInfra {
  let opened: ResourceEngine | undefined;
  const place: Place = {
    engine: () => (opened ??= openResourceEngine(text(field(config, 'engine')) || defaultAddress())),
    scope: { prefix: text(field(config, 'prefix')) || 'errand', publishOn: text(field(config, 'publish')) || '127.0.0.1' },
  };
  const drivers = new Map<string, Driver>([
    ['infra.vpc', networkDriver(place)],
    ['infra.volume', volumeDriver(place, 'infra.volume')],
    ['infra.storage', volumeDriver(place, 'infra.storage')],
    ...workloads.map((one) => [one.type, workloadDriver(place, one)] as const),
  ]);
  const infra: Infra = {
    drivers,
    sizing,
    validator,
    enumerator: enumerator(place, drivers),
    import: importer(place, drivers),
    logCapture: logCapture(place),
  };
  return { infra, [Symbol.dispose]: () => opened?.close() };
}

/** Tells at plan time what `create` would refuse. What is known after apply cannot be looked at yet. */
const validator: Validator = {
  validate: async (plan) =>
    plan.actions.flatMap(({ action, resource }): PlanDiagnostic[] => {
      const schema = schemas.get(resource.type);
      if (!schema || action === 'delete' || isUnknown(resource.config)) return [];
      const read = schema.safeParse(resource.config);
      if (read.success) return [];
      return [{ severity: 'error', resource: resource.name, field: '', message: problems(read.error) }];
    }),
};
