import { ErrandError } from '@errand/contract';
import { starterConfig } from '@errand/core';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';

export const initCommand: Action = async (context) => {
  const file = context.config ?? join(context.cwd, 'errand.yaml');
  try {
    // `wx` refuses to overwrite in one step: no window between looking and writing.
    await writeFile(file, starterConfig, { flag: 'wx' });
  } catch (error) {
    throw writeProblem(file, error);
  }
  const gitignore = await ignoreData(dirname(file));
  if (context.json) await printJson(context, { file, gitignore });
  else await printLine(context, `wrote ${file}${gitignore === undefined ? '' : ` and added .errand/ to ${gitignore}`}`);
  await context.say('try: errand run -- echo hello');
  return 0;
};

function writeProblem(file: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EEXIST') {
    return new ErrandError('config/invalid', `${file} is there already and was left as it is`, {
      next: 'errand config check tells whether it is right.',
    });
  }
  if (code === undefined) return error;
  return new ErrandError('config/unreadable', `writing ${file} failed (${code})`, {
    next: 'Make the directory writable, or name another file with --config.',
    cause: error,
  });
}

/** The data directory lies beside the config file; in a git repository it must not be committed. */
async function ignoreData(directory: string): Promise<string | undefined> {
  if (!(await insideGit(directory))) return undefined;
  const file = join(directory, '.gitignore');
  const before = await readFile(file, 'utf8').catch(() => '');
  if (before.split(/\r?\n/).some((line) => /^\/?\.errand\/?$/.test(line.trim()))) return undefined;
  await appendFile(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}.errand/\n`);
  return file;
}

async function insideGit(directory: string): Promise<boolean> {
  for (let at = directory; ; at = dirname(at)) {
    if (await stat(join(at, '.git')).catch(() => undefined)) return true;
    if (dirname(at) === at) return false;
  }
}
