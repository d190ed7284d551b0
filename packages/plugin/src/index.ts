export const protocolVersion = 1;
export { launchPlugin } from './launch/launch.ts';
export type { LaunchedPlugin, LaunchOptions } from './launch/launch.ts';
export { readPluginDirectory } from './launch/plugin-directory.ts';
export type { PluginDirectory } from './launch/plugin-directory.ts';
export { lockName, lockPlugin, readLock, verifyPlugin } from './lock/verify.ts';
export { servePlugin } from './serve/serve-plugin.ts';
export type { PluginProgram } from './serve/serve-plugin.ts';
