import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { ErrandError } from '@errand/contract';

/** Fifty thousand resources fit; whatever is larger was meant for somebody else. */
const largest = 8 * 1024 * 1024;

/** The text of a config file; anything that is not a readable text file of sensible size is `config/unreadable`. */
export async function readConfig(file: string): Promise<string> {
  try {
    // Without O_NONBLOCK a named pipe would keep us waiting for a writer.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = await handle.stat();
    if (info.isDirectory()) throw unreadable(file, 'it is a directory');
    if (!info.isFile()) throw unreadable(file, 'it is not a regular file');
    if (info.size > largest) throw unreadable(file, 'it is larger than 8 MiB');
    return new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile());
  } catch (error) {
    if (error instanceof ErrandError) throw error;
    throw unreadable(file, error instanceof TypeError ? 'it is not UTF-8 text' : describe(error), error);
  }
}

function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return typeof code === 'string' ? code : String(error);
}

function unreadable(file: string, why: string, cause?: unknown): ErrandError {
  return new ErrandError('config/unreadable', `cannot read the config file ${file}: ${why}`, {
    next: 'Correct the path or the file, or name another one with --config.',
    cause,
  });
}
