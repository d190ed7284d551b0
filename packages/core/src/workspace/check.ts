import { ErrandError } from '@errand/contract';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

/** A workspace that is not there, or that changes cannot go back into, is said before anything starts. */
export async function checkWorkspace(directory: string, writable: boolean): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) {
    const what = found ? 'it is not a directory' : 'there is no such directory, or it cannot be read';
    throw new ErrandError('workspace/unreadable', `cannot use ${directory} as the workspace: ${what}`, {
      next: 'Give an existing directory to --workspace.',
    });
  }
  if (!writable || (await mayWrite(directory))) return;
  throw new ErrandError('workspace/failed', `cannot sync back into ${directory}: it cannot be written to`, {
    next: 'Give yourself write access to it, or leave --sync-back out and use --collect with --out.',
  });
}

async function mayWrite(directory: string): Promise<boolean> {
  return access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
