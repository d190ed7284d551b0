// Where the engine is: the environment's `engine`, else DOCKER_HOST, else the usual sockets.
import { accessSync, constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';

export type Target =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly tls: TlsFiles | 'system' | undefined };

interface TlsFiles {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function defaultAddress(env: Variables = process.env): string {
  const given = env['DOCKER_HOST'];
  if (given) return given.includes('://') ? given : `tcp://${given}`;
  const sockets = usualSockets(env);
  const found =
    sockets.find((path) => may(path, constants.R_OK | constants.W_OK)) ?? sockets.find((path) => may(path, constants.F_OK));
  if (found !== undefined) return `unix://${found}`;
  throw new ErrandError('provider/unreachable', `looked for a Docker engine at ${sockets.join(', ')}: there is none`, {
    next: 'Start Docker or Podman, or say where it is with `engine:` in the environment or DOCKER_HOST.',
    retry: 'never',
  });
}

function usualSockets(env: Variables): string[] {
  const run = env['XDG_RUNTIME_DIR'];
  return [
    '/var/run/docker.sock',
    ...(run ? [join(run, 'docker.sock')] : []),
    join(homedir(), '.docker/run/docker.sock'),
    join(homedir(), '.docker/desktop/docker.sock'),
    ...(run ? [join(run, 'podman/podman.sock')] : []),
    '/run/podman/podman.sock',
  ];
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

export const addressForm = /^(unix:\/\/\/.+|npipe:\/\/.+|(tcp|http|https):\/\/[^/]+\/?)$/;

export function parseAddress(address: string, env: Variables = process.env): Target {
  if (!addressForm.test(address)) {
    throw new ErrandError('usage/invalid', `cannot read the engine's address ${JSON.stringify(address)}`, {
      next: 'Use unix:///path/to/docker.sock or tcp://host:port. For a machine that is reached by SSH, use the ssh provider.',
    });
  }
  if (address.startsWith('unix://')) return { socketPath: address.slice('unix://'.length) };
  if (address.startsWith('npipe://')) return { socketPath: address.slice('npipe://'.length).replaceAll('/', '\\') };
  const url = new URL(address.replace(/^tcp:/, 'http:'));
  const verified = env['DOCKER_TLS_VERIFY'];
  const tls = address.startsWith('https:') || (verified !== undefined && verified !== '');
  const port = url.port === '' ? (tls ? 2376 : 2375) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, tls: tls ? tlsFiles(env) : undefined };
}

/** As the docker command finds them. The engine's certificate is always checked. */
function tlsFiles(env: Variables): TlsFiles | 'system' {
  const dir = env['DOCKER_CERT_PATH'];
  if (!dir) return 'system';
  try {
    return {
      ca: readFileSync(join(dir, 'ca.pem')),
      cert: readFileSync(join(dir, 'cert.pem')),
      key: readFileSync(join(dir, 'key.pem')),
    };
  } catch (error) {
    throw new ErrandError('provider/auth', `tried to read the certificates for the engine: ${(error as Error).message}`, {
      next: 'Let DOCKER_CERT_PATH name a directory with ca.pem, cert.pem and key.pem.',
      cause: error,
    });
  }
}
