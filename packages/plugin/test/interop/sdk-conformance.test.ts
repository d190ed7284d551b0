// The conformance suites on a plugin that knows nothing of ours: a Go provider on the public contract's own SDK.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { allServices, describeCases, driverConformance, serviceCases } from '@errand/testkit';
import { protocolCases } from '../../src/conformance/protocol-cases.ts';
import { openPluginProvider } from '../../src/launch/provider.ts';
import { createBed } from '../bed.ts';
import { buildGoPrograms } from './go.ts';

const built = await buildGoPrograms('sdk');
const missing = typeof built === 'string' ? built : undefined;
const bed = await createBed();
const directory = await bed.program([typeof built === 'string' ? 'none' : built.plugin], 'memory');
afterAll(async () => {
  await bed[Symbol.asyncDispose]();
  if (typeof built !== 'string') await built[Symbol.asyncDispose]();
});

const common = { directory, lockFile: undefined, log: () => undefined };
const config = { region: 'here' };

const protocol = protocolCases({
  directory,
  config,
  launchOptions: async () => {
    const home = await mkdtemp(join(tmpdir(), 'errand-go-'));
    return { ...common, home, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) };
  },
});
describeCases(
  'protocol',
  'a Go plugin',
  protocol.map((one) => (missing === undefined ? one : { ...one, run: async () => missing })),
  undefined,
);

const resources = {
  open: (home: string) => openPluginProvider({ ...common, name: 'memory', home, config }),
  missing,
  publicOnly: true,
  stateBackend: { name: 'memory', config: {} },
  samples: ['memory.thing', 'infra.database'].map((type) => ({
    type,
    config: (name: string) => ({ engine: 'a', label: name, nested: { list: [1, 'two', null, true] } }),
    changed: (name: string) => ({ engine: 'a', label: `${name} now`, nested: { list: [1, 'two'] } }),
    forced: (name: string) => ({ engine: 'b', label: name, nested: { list: [1, 'two', null, true] } }),
    sensitive: ['password'],
  })),
  skips: {
    'what was created is read back as it was told, by id and by name, again and again':
      'it keeps everything in memory, so a fresh process knows nothing',
  },
};
driverConformance('a Go plugin', resources);
describeCases('services', 'a Go plugin', serviceCases(resources, allServices), undefined);
