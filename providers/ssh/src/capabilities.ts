import type { Capabilities } from '@errand/contract';

export const capabilities: Capabilities = {
  // A shell tells an end by signal n as exit 128+n.
  exactSignal: false,
  liveLogs: true,
  streamSplit: true,
  nativeTimeout: true,
  nativeExpiry: true,
  redactsLogs: false,
  resources: [],
  image: 'none',
  workspaceIn: true,
  workspaceOut: true,
};
