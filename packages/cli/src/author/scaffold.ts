import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { ErrandError } from '@errand/contract';

/** The name that the template has everywhere. */
const templateName = 'example-cloud';
/** Files that cannot lie in the template under their own names. */
const renamed: Readonly<Record<string, string>> = { launcher: templateName, gitignore: '.gitignore' };

export interface Scaffolded {
  readonly directory: string;
  /** Relative to it. */
  readonly files: readonly string[];
  /** Where `errand` was linked from; absent when the new package finds one by itself. */
  readonly linked?: string;
}

/** Writes the package aside and moves it into place: whoever looks sees all of it or nothing. */
export async function scaffoldProvider(name: string, parent: string, version: string): Promise<Scaffolded> {
  const directory = join(parent, name);
  if (await lstat(directory).catch(() => undefined)) {
    throw new ErrandError(
      'usage/invalid',
      `tried to make the provider ${name}: ${directory} is there already and was left as it is`,
      {
        next: 'Choose another name, or another place with --dir DIR.',
      },
    );
  }
  const root = packageRoot();
  const template = join(root, 'template/provider');
  const aside = join(parent, `.${name}-${randomUUID().slice(0, 8)}`);
  try {
    const files = await copyTemplate(template, aside, (text) =>
      text.replaceAll(templateName, name).replace('"errand": "^0.1.0"', `"errand": "^${version}"`),
    );
    const linked = await linkErrand(aside, root);
    await rename(aside, directory);
    const names = files.map((file) => file.replaceAll(templateName, name)).toSorted();
    return { directory, files: names, ...(linked && { linked: root }) };
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ErrandError('config/unreadable', `tried to make the provider ${name} in ${parent}: it failed (${code})`, {
      next: 'Make the directory writable, or name another one with --dir DIR.',
      cause: error,
    });
  }

  async function copyTemplate(from: string, to: string, edit: (text: string) => string): Promise<string[]> {
    const entries = await readdir(from, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => relative(from, join(entry.parentPath, entry.name)));
    for (const file of files) {
      const target = join(to, (renamed[file] ?? file).replaceAll(templateName, name));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, edit(await readFile(join(from, file), 'utf8')));
      if (file === 'launcher') await chmod(target, 0o755);
    }
    return files.map((file) => renamed[file] ?? file);
  }
}

/** As `npm link errand` would, so that the new package runs at once; `npm install` puts the real one in its place. */
async function linkErrand(directory: string, root: string): Promise<boolean> {
  try {
    createRequire(join(directory, 'package.json')).resolve('errand/provider');
    return false;
  } catch {
    await mkdir(join(directory, 'node_modules'));
    await symlink(root, join(directory, 'node_modules/errand'), 'dir');
    return true;
  }
}

/** Where this program's package lies; its files are in `src` in development and in `dist` when it was built. */
function packageRoot(): string {
  for (let at = import.meta.dirname; dirname(at) !== at; at = dirname(at)) {
    if (lstatSync(join(at, 'template/provider'), { throwIfNoEntry: false })) return at;
  }
  throw new ErrandError('internal/bug', 'looked for the template of a provider package and found none', {
    next: 'Install Errand again.',
  });
}
