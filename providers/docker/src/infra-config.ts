import { basename } from 'node:path';
import { z } from 'zod';
import { addressForm } from './address.ts';

/** The keys of an entry under `infra.providers` that uses this provider. */
export const infraSchema = (directory: string = process.cwd()) =>
  z.strictObject({
    engine: z
      .string()
      .regex(addressForm, 'must be unix:///path/to/docker.sock, tcp://host:port or https://host:port')
      .optional()
      .describe('Where the engine is. Default: DOCKER_HOST, else the usual sockets of Docker and Podman.'),
    prefix: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, 'must be up to 40 letters, digits, - and _')
      .default(prefixOf(directory))
      .describe('What names on the engine begin with. Default: the name of the directory of the config file.'),
    publish: z
      .string()
      .regex(/^[\da-f.:]+$/i, 'must be an address of the engine’s machine')
      .default('127.0.0.1')
      .describe('The address where ports are published. Default: 127.0.0.1, for this machine only.'),
  });

function prefixOf(directory: string): string {
  const plain = basename(directory)
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return plain.slice(0, 40) || 'errand';
}
