// The promises of drivers once more, with the provider in a program of its own that our host launches.
import { driverConformance } from '@errand/testkit';
import { afterAll } from 'vitest';
import { launched } from '../../../../packages/plugin/test/launched.ts';
import { missing, samples } from '../driver-samples.ts';
import { prefixOf } from '../infra.ts';

const env = { DOCKER_HOST: process.env['DOCKER_HOST'] };
const plugin = await launched('docker', { env, config: (home) => ({ prefix: prefixOf(home) }) });
afterAll(() => plugin[Symbol.asyncDispose]());

// One of each kind; caches and registries are services with other images.
const kinds = new Set(['infra.vpc', 'infra.volume', 'infra.container_service']);
const some = samples.filter(({ type }) => kinds.has(type));

driverConformance('docker, launched as a plugin', { open: plugin.open, samples: some, ...missing });
