import { lstat } from 'node:fs/promises';
import { ErrandError } from '@errand/contract';
import type { Endpoint } from '../handshake/line.ts';
import type { PluginDirectory } from './plugin-directory.ts';

/** A plugin that names somebody else's socket would have us talk to a stranger. Old plugins do not use our directory for theirs. */
export async function checkSocket(plugin: PluginDirectory, endpoint: Endpoint): Promise<void> {
  if (endpoint.network !== 'unix') return;
  const refuse = (what: string) =>
    new ErrandError('provider/failed', `started the plugin ${plugin.path}: its socket ${endpoint.path} ${what}`, {
      next: 'Ask the plugin’s author; a plugin must listen on a socket of its own before its handshake.',
    });
  const found = await lstat(endpoint.path).catch(() => undefined);
  if (found === undefined) throw refuse('does not exist');
  if (!found.isSocket()) throw refuse('is not a socket');
  if (process.getuid !== undefined && found.uid !== process.getuid()) throw refuse('belongs to another user');
}
