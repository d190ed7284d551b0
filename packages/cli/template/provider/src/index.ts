import { join } from 'node:path';
import { defineProvider } from 'errand/provider';
import type { Capabilities, Json } from 'errand/provider';
import { noteDriver } from './drivers/note.ts';
import { openFiles } from './files.ts';

/** Nothing runs here. A provider with a `runner` or a `host` says here what it can enforce, and never more. */
const capabilities: Capabilities = {
  exactSignal: false,
  liveLogs: false,
  streamSplit: false,
  nativeTimeout: false,
  nativeExpiry: false,
  redactsLogs: false,
  resources: [],
  image: 'none',
  workspaceIn: false,
  workspaceOut: false,
};

export const provider = defineProvider({
  name: 'example-cloud',
  version: '0.1.0',
  summary: 'Notes that are kept as files.',
  options: async () => (await import('./config.ts')).environmentOptions,
  infraOptions: async () => (await import('./config.ts')).infraOptions,
  open: async ({ home, config }) => ({
    capabilities,
    infra: { drivers: new Map([['example-cloud.note', noteDriver(openFiles(directoryIn(config) ?? join(home, 'notes')))]]) },
    [Symbol.asyncDispose]: async () => undefined,
  }),
});

/** A Go host does not know the schema, so what comes is looked at once more. */
function directoryIn(config: Json | undefined): string | undefined {
  if (typeof config !== 'object' || config === null || !('directory' in config)) return undefined;
  return typeof config.directory === 'string' ? config.directory : undefined;
}
