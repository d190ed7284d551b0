import { mkdirSync, realpathSync } from 'node:fs';
import { defineProvider } from '@errand/contract';
import type { Capabilities, Provider, ProviderContext } from '@errand/contract';
import { fileError } from './files.ts';
import { createHost } from './host.ts';
import { providerName } from './layout.ts';
import { onLinux } from './processes.ts';
import { createRunner } from './runner.ts';
import { checkSandbox, sandboxOf } from './sandbox.ts';
import { createSupervisor } from './supervise.ts';

const capabilities: Capabilities = {
  // In a sandbox bubblewrap stands in between and tells a signal as exit 128+n.
  exactSignal: true,
  liveLogs: true,
  streamSplit: true,
  nativeTimeout: true,
  nativeExpiry: true,
  redactsLogs: true,
  resources: onLinux ? ['memory'] : [],
  image: 'none',
  workspaceIn: true,
  workspaceOut: true,
};

export const localProvider = defineProvider({
  name: providerName,
  version: '0.1.0',
  summary: 'Runs jobs as processes of this machine.',
  options: async () => (await import('./config.ts')).optionsSchema,
  infraOptions: async (from) => (await import('./infra-config.ts')).infraSchema(from?.directory),
  open,
});

async function open({ home: given, dataDirectory, config }: ProviderContext): Promise<Provider> {
  const home = makeHome(given);
  const supervisor = createSupervisor();
  return {
    capabilities,
    host: createHost(home, supervisor),
    runner: createRunner(home, supervisor, dataDirectory === undefined ? home : realpathSync(dataDirectory)),
    ...(config === undefined ? {} : { infra: (await import('./drivers/index.ts')).createInfra(home, config) }),
    warm: () => void supervisor.warm(),
    check: async ({ options }) => (sandboxOf(options) === 'strict' ? checkSandbox() : []),
    // Jobs go on: the supervisor leaves by itself after the last one.
    [Symbol.asyncDispose]: async () => supervisor[Symbol.dispose](),
  };
}

/** One name for one directory, whatever links lead to it: the marks of the jobs depend on it. */
function makeHome(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return realpathSync(path);
  } catch (error) {
    throw fileError(`tried to make the directory ${path}`, error);
  }
}
