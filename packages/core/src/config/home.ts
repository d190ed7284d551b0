import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findConfig } from './find.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The data directory: ERRAND_HOME, else `.errand/` beside the nearest config file, else the user's state directory. */
export function dataDirectory(place: {
  readonly env: Env;
  readonly cwd: string;
  /** The config file in use, when it was named instead of found. */
  readonly file?: string;
  readonly platform?: NodeJS.Platform;
}): string {
  if (place.env['ERRAND_HOME']) return resolve(place.cwd, place.env['ERRAND_HOME']);
  const file = place.file ?? findConfig(place.cwd);
  if (file !== undefined) return join(dirname(file), '.errand');
  if (place.env['XDG_STATE_HOME']) return join(resolve(place.cwd, place.env['XDG_STATE_HOME']), 'errand');
  const home = userHome(place.env);
  if ((place.platform ?? process.platform) === 'darwin') return join(home, 'Library', 'Application Support', 'errand');
  return join(home, '.local', 'state', 'errand');
}

/** Where the `file` secret store lies unless the config says otherwise. */
export function defaultSecretDirectory(env: Env): string {
  const config = env['XDG_CONFIG_HOME'];
  return join(config ? resolve(config) : join(userHome(env), '.config'), 'errand', 'secrets');
}

export function userHome(env: Env): string {
  return env['HOME'] ? resolve(env['HOME']) : homedir();
}
