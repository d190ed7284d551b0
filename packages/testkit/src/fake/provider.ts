import { defineProvider } from '@errand/contract';
import type { ProviderDefinition } from '@errand/contract';
import { z } from 'zod';
import type { FakeCloud } from './cloud.ts';
import { fakeHost } from './host.ts';
import { fakeRunner } from './runner.ts';

/** Any number of providers, in any number of processes, may be opened on one cloud. */
export function fakeProvider(cloud: FakeCloud, name = 'fake'): ProviderDefinition {
  return defineProvider({
    name,
    version: '0.1.0',
    summary: 'Scripted places and jobs with manners as bad as the test wants.',
    options: async () => z.strictObject({}),
    open: async () => ({
      capabilities: {
        exactSignal: true,
        liveLogs: true,
        streamSplit: true,
        nativeTimeout: cloud.traits.nativeTimeout,
        nativeExpiry: true,
        redactsLogs: true,
        resources: [],
        image: 'optional',
        workspaceIn: true,
        workspaceOut: true,
      },
      host: fakeHost(cloud, name),
      runner: fakeRunner(cloud, name),
      [Symbol.asyncDispose]: async () => {},
    }),
  });
}
