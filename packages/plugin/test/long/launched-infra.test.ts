// The promises of drivers once more, with the provider in a program of its own that our host launches.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openPluginProvider } from '@errand/plugin';
import { driverConformance } from '@errand/testkit';
import { writePlugin } from '../bed.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-launched-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const argv = [process.execPath, join(import.meta.dirname, '../programs/fake-infra.ts')];
const plugin = await writePlugin(directory, 'fake', argv);

driverConformance('fake, launched as a plugin', {
  open: (home) =>
    openPluginProvider({
      name: 'fake',
      directory: plugin,
      home: join(home, 'plugin'),
      lockFile: undefined,
      log: () => undefined,
      config: { directory: join(home, 'platform') },
    }),
  samples: [
    {
      type: 'infra.database',
      config: (name) => ({ region: 'nyc3', label: name }),
      changed: (name) => ({ region: 'nyc3', label: `${name} now` }),
      forced: (name) => ({ region: 'ams3', label: name }),
      sensitive: ['password', 'uri'],
    },
  ],
  skips: { 'a config key that it does not know is refused, or can be seen to be unknown': 'the fake takes whatever comes' },
});
