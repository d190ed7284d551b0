import { ErrandError } from '@errand/contract';
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';

/** Ours alone: other users of the machine have no business in logs and workspaces. */
export async function prepareHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const full = (error as NodeJS.ErrnoException).code === 'ENOSPC';
    const what = error instanceof Error ? error.message : String(error);
    throw new ErrandError(full ? 'disk/full' : 'home/unwritable', `cannot use ${home} as the data directory: ${what}`, {
      next: full
        ? 'Free some space, or set ERRAND_HOME to a directory on another disk.'
        : 'Set ERRAND_HOME to a directory that you can write to.',
      cause: error,
    });
  }
}
