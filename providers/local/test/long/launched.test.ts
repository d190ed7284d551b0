// The same suites once more, with the provider in a program of its own that our host launches.
import { afterAll } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { launched } from '../../../../packages/plugin/test/launched.ts';

const plugin = await launched('local');
afterAll(() => plugin[Symbol.asyncDispose]());

runnerConformance('local, launched as a plugin', plugin);
hostConformance('local, launched as a plugin', plugin);
