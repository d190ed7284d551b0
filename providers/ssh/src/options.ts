// The environment's own keys as a provider call brings them: already validated by `config.ts`, here only read, because
// loading the schema costs more than a job's start may take.
import { homedir, userInfo } from 'node:os';
import { ErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import type { Hop } from './client.ts';

/** One machine and how we show who we are. Free of secrets: a passphrase is a reference. */
export interface HopOptions extends Hop {
  readonly identity?: string;
  /** A `secret://` reference. */
  readonly passphrase?: string;
  readonly agent?: string;
  readonly pins: readonly string[];
  readonly knownHosts: string;
}

export interface Target extends HopOptions {
  readonly jumps: readonly HopOptions[];
  readonly root: string;
  readonly connections: number;
  /** Milliseconds. */
  readonly keepalive: number;
}

export function readOptions(options: Json | undefined): Target {
  const jump = field(options, 'jump');
  return {
    ...readHop(options),
    jumps: jump === undefined ? [] : (isList(jump) ? jump : [jump]).map(readHop),
    root: text(options, 'root') ?? '.errand',
    connections: number(options, 'connections') ?? 4,
    keepalive: (number(options, 'keepalive') ?? 10) * 1_000,
  };
}

function readHop(options: Json | undefined): HopOptions {
  const host = text(options, 'host');
  if (host === undefined) {
    throw new ErrandError('config/invalid', 'tried to reach a machine by SSH: the environment names no host', {
      next: 'Give the environment a `host:`.',
    });
  }
  const pins = field(options, 'host_key');
  const identity = text(options, 'identity');
  const passphrase = text(field(options, 'passphrase'), 'secret');
  const agent = text(options, 'agent');
  return {
    host,
    port: number(options, 'port') ?? 22,
    user: text(options, 'user') ?? userInfo().username,
    pins: (isList(pins) ? pins : [pins]).filter((pin) => typeof pin === 'string').map((pin) => pin.replace(/=$/, '')),
    knownHosts: atHome(text(options, 'known_hosts') ?? '~/.ssh/known_hosts'),
    ...(identity === undefined ? {} : { identity: atHome(identity) }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(agent === undefined ? {} : { agent: atHome(agent) }),
  };
}

export const accountOf = ({ user, host, port }: Hop) => `${user}@${host}:${port}`;

export function atHome(path: string): string {
  return path.startsWith('~/') ? homedir() + path.slice(1) : path;
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export function field(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || isList(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

export function text(value: Json | undefined, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function number(value: Json | undefined, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}
