import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ErrandError } from '@errand/contract';

const names = ['errand.yaml', 'errand.yml'];

/** The nearest config file, from `directory` upwards. What is there but cannot be read is found too: reading it then says why. */
export function findConfig(directory: string): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    for (const name of names) {
      const file = join(at, name);
      if (exists(file)) return file;
    }
    if (dirname(at) === at) return undefined;
  }
}

/** A path that a person named must be there. */
export function requireConfig(path: string, cwd: string): string {
  const file = resolve(cwd, path);
  if (exists(file)) return file;
  throw new ErrandError('config/unreadable', `cannot read the config file ${file}: there is no such file`, {
    next: 'Check the path, or run `errand init` to write a first errand.yaml.',
  });
}

function exists(file: string): boolean {
  return look(file) !== undefined;
}

function look(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A named file must be there; a named directory is searched upwards from, like the working directory otherwise. */
export function locateConfig(named: string | undefined, cwd: string): string | undefined {
  if (named === undefined) return findConfig(cwd);
  const path = resolve(cwd, named);
  return look(path)?.isDirectory() ? findConfig(path) : requireConfig(named, cwd);
}
