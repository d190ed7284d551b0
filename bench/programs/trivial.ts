// Resources that cost nothing, as `terraform_data` does: what is measured is the engine. The platform is a Map that is
// kept in a file from one process to the next.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { defineProvider } from '@errand/contract';
import type { Attributes, Driver, ResourceOutput, ResourceRef } from '@errand/contract';
import * as z from 'zod';

export const trivialProvider = defineProvider({
  name: 'trivial',
  version: '1.0.0',
  summary: 'resources that cost nothing',
  options: async () => z.strictObject({}),
  infraOptions: async () => z.strictObject({ file: z.string() }),
  async open({ config }) {
    const file = (config as { readonly file?: string } | undefined)?.file;
    const things = new Map<string, Attributes>(
      file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as [string, Attributes][]) : [],
    );
    let isChanged = false;
    return {
      capabilities: {
        exactSignal: false,
        liveLogs: false,
        streamSplit: false,
        nativeTimeout: false,
        nativeExpiry: false,
        redactsLogs: false,
        resources: [],
        image: 'none',
        workspaceIn: false,
        workspaceOut: false,
      },
      infra: { drivers: new Map([['trivial.thing', driverOn(things, () => (isChanged = true))]]) },
      async [Symbol.asyncDispose]() {
        if (isChanged && file !== undefined) writeFileSync(file, JSON.stringify([...things]));
      },
    };
  },
});

function driverOn(things: Map<string, Attributes>, changed: () => void): Driver {
  const type = 'trivial.thing';
  const shown = (name: string, config: Attributes): ResourceOutput => ({
    name,
    type,
    providerId: `id-${name}`,
    outputs: { output: config['input'] ?? null },
    sensitive: [],
    status: 'there',
  });
  const put = (name: string, config: Attributes) => {
    changed();
    things.set(name, config);
    return shown(name, config);
  };
  const found = ({ name }: ResourceRef) => {
    const config = things.get(name);
    return config && shown(name, config);
  };
  const same = { needsUpdate: false, needsReplace: false, changes: [] };
  const compared: Driver['diff'] = async ({ config }, { outputs }) =>
    config['input'] === outputs['output']
      ? same
      : {
          needsUpdate: true,
          needsReplace: false,
          changes: [{ path: 'input', old: outputs['output'] ?? null, new: config['input'] ?? null, forceNew: false }],
        };
  return {
    read: async (ref) => found(ref),
    diff: compared,
    create: async ({ name, config }) => put(name, config),
    update: async (_ref, { name, config }) => put(name, config),
    async delete({ name }) {
      changed();
      things.delete(name);
    },
  };
}
