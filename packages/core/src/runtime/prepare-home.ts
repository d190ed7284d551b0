import { ErrandError } from '@errand/contract';
import { accessSync, constants, mkdirSync } from 'node:fs';

/** Ours alone: other users of the machine have no business in logs and workspaces. */
export function prepareHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
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
