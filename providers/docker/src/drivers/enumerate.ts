import { ErrandError } from '@errand/contract';
import type { Ask, Driver, Enumerator, Infra, ResourceRef } from '@errand/contract';
import type { Labels } from '../client.ts';
import { trying } from '../errors.ts';
import { configIn, digest, resourceLabel } from './layout.ts';
import type { Place } from './workload-driver.ts';

/** What carries our labels on the engine, whoever of us made it and under which prefix. The prefix is the tag. */
export function enumerator(place: Place, drivers: ReadonlyMap<string, Driver>): Enumerator {
  return {
    async *all(type, ask) {
      const driver = drivers.get(type);
      if (!driver) throw new ErrandError('environment/unsupported', `docker has no resources of the type ${type}`);
      for (const { ref } of await everything(place, ask)) {
        if (ref.type !== type) continue;
        const seen = await driver.read(ref, ask);
        if (seen) yield seen;
      }
    },
    async *byTag(tag, ask) {
      for (const { ref } of await everything(place, ask)) if (ref.providerId?.startsWith(`${tag}-`)) yield ref;
    },
  };
}

/** The config is the one that it was made or last changed with. */
export const importer = (place: Place, drivers: ReadonlyMap<string, Driver>): NonNullable<Infra['import']> =>
  async function importOne(type, providerId, ask) {
    const found = (await everything(place, ask)).find(({ ref }) => ref.type === type && ref.providerId === providerId);
    const seen = found && (await drivers.get(type)?.read(found.ref, ask));
    if (!seen) return undefined;
    const appliedConfig = configIn(found.labels);
    return {
      id: providerId,
      name: found.ref.name,
      type,
      provider: 'docker',
      providerRef: '',
      providerId,
      configHash: digest(JSON.stringify(appliedConfig)),
      appliedConfig,
      appliedConfigSource: 'import',
      outputs: seen.outputs,
      dependencies: [],
    };
  };

/** Labels of a container come before those of its volume: they have the newer config. Networks come last, as they are to be deleted last. */
async function everything({ engine: open }: Place, ask: Ask): Promise<{ readonly ref: ResourceRef; readonly labels: Labels }[]> {
  const engine = open();
  const lists = await trying(engine, 'tried to list what is on the engine', () =>
    Promise.all([engine.containers({}, ask.signal), engine.volumes({}, ask.signal), engine.networks({}, ask.signal)]),
  );
  const found = new Map<string, { readonly ref: ResourceRef; readonly labels: Labels }>();
  for (const { labels } of lists.flat()) {
    const { [resourceLabel.id]: providerId, [resourceLabel.type]: type, [resourceLabel.name]: name } = labels;
    if (providerId === undefined || type === undefined || name === undefined || found.has(providerId)) continue;
    found.set(providerId, { ref: { name, type, providerId }, labels });
  }
  return [...found.values()];
}
