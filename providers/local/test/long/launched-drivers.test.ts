// The promises of drivers once more, with the provider in a program of its own that our host launches.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { driverConformance } from '@errand/testkit';
import { afterAll } from 'vitest';
import { launched } from '../../../../packages/plugin/test/launched.ts';
import { samples } from '../driver-samples.ts';

const tree = (home: string) => join(home, 'tree');
const plugin = await launched('local', { config: (home) => ({ root: tree(home) }) });
afterAll(() => plugin[Symbol.asyncDispose]());

async function open(home: string) {
  await mkdir(tree(home), { recursive: true });
  return plugin.open(home);
}

driverConformance('local, launched as a plugin', { open, samples });
