import { ErrandError } from '@errand/contract';
import { stat } from 'node:fs/promises';

/** A workspace that is not there is said before anything starts. */
export async function checkWorkspace(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory()) return;
  const what = found ? 'it is not a directory' : 'there is no such directory, or it cannot be read';
  throw new ErrandError('workspace/unreadable', `cannot use ${directory} as the workspace: ${what}`, {
    next: 'Give an existing directory to --workspace.',
  });
}
