// The same suites once more, with the provider in a program of its own that our host launches.
import { afterAll } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { launched } from '../../../../packages/plugin/test/launched.ts';
import { missingSshd, startSshd } from '../sshd.ts';

const missing = missingSshd();
const sshd = missing === undefined ? await startSshd() : undefined;
const plugin = await launched('ssh');
afterAll(async () => {
  await sshd?.[Symbol.asyncDispose]();
  await plugin[Symbol.asyncDispose]();
});

const subject = { open: plugin.open, missing, ...(sshd ? { options: sshd.options } : {}) };
runnerConformance('ssh, launched as a plugin', subject);
hostConformance('ssh, launched as a plugin', subject);
