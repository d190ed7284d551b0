import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DriverSample } from '@errand/testkit';

/** In `tree` of the home. */
export const samples: DriverSample[] = [
  {
    type: 'local.file',
    config: (name) => ({ path: `some/where/${name}`, content: `I am ${name}\n`, mode: '0640' }),
    changed: (name) => ({ path: `some/where/${name}`, content: 'changed' }),
    forced: (name) => ({ path: `else/where/${name}`, content: `I am ${name}\n`, mode: '0640' }),
    foreign: async (name, home) => {
      await mkdir(join(home, 'tree/some/where'), { recursive: true });
      await writeFile(join(home, 'tree/some/where', name), 'mine');
      return () => rm(join(home, 'tree/some'), { recursive: true });
    },
  },
  {
    type: 'local.directory',
    config: (name) => ({ path: `a/${name}` }),
    changed: (name) => ({ path: `a/${name}`, mode: '0700', force: true }),
    forced: (name) => ({ path: `b/${name}` }),
    foreign: async (name, home) => {
      await mkdir(join(home, 'tree/a', name), { recursive: true });
      return () => rm(join(home, 'tree/a'), { recursive: true });
    },
  },
  {
    type: 'local.process',
    config: (name) => ({ command: ['/bin/sleep', '600'], env: { NAME: name, TOKEN: 'secret://env/TOKEN' }, grace: 1 }),
    changed: (name) => ({ command: ['/bin/sleep', '600'], env: { NAME: name, TOKEN: 'secret://env/TOKEN' }, grace: 2 }),
    forced: (name) => ({ command: 'exec sleep 601', env: { NAME: name }, grace: 1 }),
    sensitive: ['env'],
  },
];
