import { ErrandError } from '@errand/contract';
import type { Ask, Driver, ResourceOutput, ResourceRef } from '@errand/contract';
import { z } from 'zod';
import type { Volume } from '../client.ts';
import { trying } from '../errors.ts';
import { readConfig } from './config.ts';
import { nameTaken } from './instance.ts';
import { idOf, labelsFor, resourceLabel } from './layout.ts';
import type { Place } from './workload-driver.ts';

export const volumeSchema = z.strictObject({ region: z.string().optional().describe('Means nothing here.') });

/** `infra.volume` and `infra.storage`: a place for files that containers mount. There is nothing about it to change. */
export function volumeDriver({ engine: open, scope }: Place, type: string): Driver {
  const idFor = (ref: ResourceRef) => ref.providerId ?? idOf(scope, ref.name);

  async function ours(ref: ResourceRef, ask: Ask): Promise<Volume | undefined> {
    const engine = open();
    const found = await trying(engine, `tried to look at the volume of ${ref.name}`, () => engine.volume(idFor(ref), ask.signal));
    return found?.labels[resourceLabel.type] === type ? found : undefined;
  }
  const outputOf = (name: string, id: string): ResourceOutput => ({
    name,
    type,
    providerId: id,
    outputs: { id, volume: id },
    sensitive: [],
    status: 'available',
  });

  return {
    // The engine knows things by their names.
    oneName: true,
    configKeys: Object.keys(volumeSchema.shape),
    read: async (ref, ask) => {
      const found = await ours(ref, ask);
      return found && outputOf(ref.name, found.name);
    },
    diff: async () => ({ needsUpdate: false, needsReplace: false, changes: [] }),
    create: async (spec, call) => {
      readConfig(volumeSchema, spec);
      const engine = open();
      const identity = { id: idOf(scope, spec.name), type, name: spec.name, key: call.key };
      const made = await trying(engine, `tried to make the volume ${identity.id}`, () =>
        engine.createVolume(identity.id, labelsFor(identity, spec.config), call.signal),
      );
      if (made.labels[resourceLabel.key] !== call.key) throw nameTaken(identity, `the volume ${made.name}`);
      return outputOf(spec.name, made.name);
    },
    update: async (ref, spec, call) => {
      readConfig(volumeSchema, spec);
      const found = await ours(ref, call);
      if (found) return outputOf(spec.name, found.name);
      throw new ErrandError('provider/not-found', `tried to update the volume ${idFor(ref)}: it is gone`);
    },
    delete: async (ref, call) => {
      const found = await ours(ref, call);
      if (!found) return;
      const engine = open();
      const removal = await trying(engine, `tried to remove the volume ${found.name}`, () =>
        engine.removeVolume(found.name, call.signal),
      );
      if (removal !== 'busy') return;
      throw new ErrandError('provider/conflict', `tried to remove the volume ${found.name}: a container uses it`, {
        next: `See \`docker ps -a --filter volume=${found.name}\`, and remove what is there.`,
        retry: 'later',
      });
    },
  };
}
