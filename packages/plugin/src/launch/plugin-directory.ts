// A plugin lies in a directory of its own: `plugin.json`, and an executable of the directory's name.
import { access, constants, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ErrandError } from '@errand/contract';

export interface PluginDirectory {
  /** Absolute. */
  readonly path: string;
  readonly executable: string;
  /** From `plugin.json`. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

const longestManifest = 1024 * 1024;

export async function readPluginDirectory(directory: string): Promise<PluginDirectory> {
  const path = resolve(directory);
  const executable = join(path, basename(path));
  const manifest = await readManifest(join(path, 'plugin.json'));
  await checkExecutable(executable);
  return { path, executable, ...manifest };
}

async function readManifest(file: string): Promise<Pick<PluginDirectory, 'name' | 'version' | 'description'>> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > longestManifest) throw invalid(file, `it has ${size} bytes, which is too much for a manifest`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof ErrandError) throw error;
    throw new ErrandError('provider/unknown', `looked for a plugin and could not read ${file}: ${(error as Error).message}`, {
      next: 'Name a directory that holds plugin.json and an executable of the directory’s name.',
      cause: error,
    });
  }
  return parseManifest(file, text);
}

/** Lenient: what only other readers of the manifest want is not asked for. */
export function parseManifest(file: string, text: string): Pick<PluginDirectory, 'name' | 'version' | 'description'> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw invalid(file, `it is not JSON: ${(error as Error).message}`);
  }
  if (typeof manifest !== 'object' || manifest === null) throw invalid(file, 'it is not an object');
  const { name, version, description } = manifest as Record<string, unknown>;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name)) {
    throw invalid(file, '`name` must begin with a lower-case letter and hold only those, digits and dashes');
  }
  if (typeof version !== 'string' || version === '') throw invalid(file, '`version` is missing');
  return { name, version, description: typeof description === 'string' ? description : '' };
}

function invalid(file: string, what: string): ErrandError {
  return new ErrandError('config/invalid', `read ${file}: ${what}`, {
    next: 'Correct the manifest, or install the plugin again.',
  });
}

async function checkExecutable(file: string): Promise<void> {
  try {
    if (!(await stat(file)).isFile()) throw new Error('it is not a file');
    await access(file, constants.X_OK);
  } catch (error) {
    throw new ErrandError('provider/unknown', `looked for the plugin’s program ${file}: ${(error as Error).message}`, {
      next: 'The program must be executable and be named like its directory; install the plugin again, or chmod +x it.',
      cause: error,
    });
  }
}
