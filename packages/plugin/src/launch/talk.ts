// All that talks to a plugin, and with it gRPC: loaded while the program starts.
export { connectPlugin } from './connect-plugin.ts';
export { finishLaunch } from './launch.ts';
