import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';

/** What we need of a `plugin.json`; it has many more keys, which are for others. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
}

const names = /^[a-z][a-z0-9-]*[a-z0-9]$/;
const versions = /^v?\d+\.\d+\.\d+$/;

export async function readManifest(directory: string): Promise<Manifest> {
  const path = join(directory, 'plugin.json');
  const refuse = (what: string, cause?: unknown) =>
    new ErrandError('config/invalid', `tried to read the plugin ${path}: ${what}`, {
      next: 'A plugin is a directory with a plugin.json and an executable of the directory’s name.',
      cause,
    });
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw refuse(error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read', error);
  }
  if (typeof manifest !== 'object' || manifest === null) throw refuse('it is not an object');
  const { name, version } = manifest as Record<string, unknown>;
  if (typeof name !== 'string' || !names.test(name)) throw refuse('its name is missing or not made of a-z, 0-9 and -');
  if (typeof version !== 'string' || !versions.test(version)) throw refuse('its version is missing or not of the form 1.2.3');
  return { name, version };
}
