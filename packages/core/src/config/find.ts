import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ErrandError } from '@errand/contract';

const names = ['errand.yaml', 'errand.yml'];

/** The nearest config file, from `directory` upwards. What is there but cannot be read is found too: reading it then says why. */
export async function findConfig(directory: string): Promise<string | undefined> {
  for (let at = resolve(directory); ; at = dirname(at)) {
    for (const name of names) {
      const file = join(at, name);
      if (await exists(file)) return file;
    }
    if (dirname(at) === at) return undefined;
  }
}

/** A path that a person named must be there. */
export async function requireConfig(path: string, cwd: string): Promise<string> {
  const file = resolve(cwd, path);
  if (await exists(file)) return file;
  throw new ErrandError('config/unreadable', `cannot read the config file ${file}: there is no such file`, {
    next: 'Check the path, or run `errand init` to write a first errand.yaml.',
  });
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** A named file must be there; a named directory is searched upwards from, like the working directory otherwise. */
export async function locateConfig(named: string | undefined, cwd: string): Promise<string | undefined> {
  if (named === undefined) return findConfig(cwd);
  const path = resolve(cwd, named);
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() ? findConfig(path) : requireConfig(named, cwd);
}
