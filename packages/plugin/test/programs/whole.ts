// A provider with everything that a Go host drives: a resource type, and jobs on this machine.
import { z } from 'zod';
import { defineProvider, ErrandError } from '@errand/contract';
import type { Driver, ResourceOutput, ResourceRef } from '@errand/contract';
import { localProvider } from '@errand/provider-local';
import { serveProviderPlugin } from '../../src/serve/serve-provider-plugin.ts';

function thingDriver(region: string): Driver {
  const things = new Map<string, ResourceOutput & { readonly key: string }>();
  const find = ({ name, providerId }: ResourceRef) => {
    const found = things.get(name);
    return providerId === undefined || found?.providerId === providerId ? found : undefined;
  };
  return {
    read: async (ref) => find(ref),
    diff: async ({ config }, current) => {
      const changes = Object.keys(config)
        .filter((path) => JSON.stringify(config[path]) !== JSON.stringify(current.outputs[path]))
        .map((path) => ({ path, forceNew: false }));
      return { needsUpdate: changes.length > 0, needsReplace: false, changes };
    },
    async create({ name, type, config }, { key }) {
      const there = things.get(name);
      if (there?.key === key) return there;
      if (there) throw new ErrandError('provider/conflict', `tried to create ${name}: it is there already`);
      const made = { name, type, key, providerId: `thing-${name}`, outputs: { ...config, region }, sensitive: [], status: 'up' };
      things.set(name, made);
      return made;
    },
    async update(ref, { config }) {
      const there = find(ref);
      if (!there) throw new ErrandError('provider/not-found', `tried to update ${ref.name}: it is gone`);
      const now = { ...there, outputs: { ...config, region } };
      things.set(ref.name, now);
      return now;
    },
    async delete(ref) {
      if (find(ref)) things.delete(ref.name);
    },
  };
}

await serveProviderPlugin(
  defineProvider({
    ...localProvider,
    name: 'whole',
    version: '2.3.4',
    infraOptions: async () => z.strictObject({ region: z.string().optional() }),
    async open(context) {
      const { region = 'nowhere' } = (context.config ?? {}) as { region?: string };
      const provider = await localProvider.open(context);
      return { ...provider, infra: { drivers: new Map([['whole.thing', thingDriver(region)]]) } };
    },
  }),
);
