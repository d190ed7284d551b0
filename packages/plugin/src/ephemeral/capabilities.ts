import type { Capabilities } from '@errand/contract';

/**
 * What the public contract can promise for a job. It has a timeout and may show output while a job runs, but no word by
 * which a plugin says that it does either, so neither is claimed: both are used where they are there.
 */
export const jobCapabilities: Capabilities = {
  exactSignal: false,
  liveLogs: false,
  streamSplit: false,
  nativeTimeout: false,
  nativeExpiry: false,
  redactsLogs: false,
  resources: [],
  image: 'optional',
  workspaceIn: false,
  workspaceOut: false,
};
