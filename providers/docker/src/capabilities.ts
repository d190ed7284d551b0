import type { Capabilities } from '@errand/contract';

export const capabilities: Capabilities = {
  // The engine tells an end by signal n as exit 128+n.
  exactSignal: false,
  liveLogs: true,
  streamSplit: true,
  // The engine knows neither: whoever waits ends a job at its profile's limit, and the sweeper gives places up.
  nativeTimeout: false,
  nativeExpiry: false,
  redactsLogs: false,
  resources: ['cpu', 'memory'],
  image: 'required',
  workspaceIn: true,
  workspaceOut: true,
};
