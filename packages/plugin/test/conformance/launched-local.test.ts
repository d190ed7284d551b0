// The same suites once more, with the provider in a program of its own that our host launches.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openPluginProvider } from '@errand/plugin';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { writePlugin } from '../bed.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-launched-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const plugin = await writePlugin(directory, 'local', [process.execPath, join(import.meta.dirname, '../programs/local.ts')]);

const open = (home: string) =>
  openPluginProvider({ name: 'local', directory: plugin, home, lockFile: undefined, log: () => undefined });
runnerConformance('local, launched as a plugin', { open });
hostConformance('local, launched as a plugin', { open });
