// The same suites once more, with the provider in a program of its own that our host launches.
import { afterAll } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { launched } from '../../../../packages/plugin/test/launched.ts';
import { findBed } from '../bed.ts';

const bed = await findBed();
const plugin = await launched('docker', { env: { DOCKER_HOST: process.env['DOCKER_HOST'] } });
afterAll(() => plugin[Symbol.asyncDispose]());

const subject = {
  open: plugin.open,
  options: { profile: 'permissive', network: 'none' },
  ...(typeof bed === 'string' ? { missing: bed } : { image: bed.image }),
};
runnerConformance('docker, launched as a plugin', subject);
hostConformance('docker, launched as a plugin', subject);
