import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ErrandError } from '@errand/contract';
import { isInside } from './file.ts';

/** Secret files must not lie among what Errand writes: the data directory is copied, shown and thrown away as a whole. */
export async function checkSecretDirectory(directory: string, home: string): Promise<void> {
  const [secrets, data] = await Promise.all([settled(directory), settled(home)]);
  if (secrets !== data && !isInside(data, secrets)) return;
  throw new ErrandError(
    'secret/refused',
    `cannot use the secret directory ${directory}: it lies inside the data directory ${home}`,
    {
      next: 'Move it elsewhere and name it as `secrets: { directory: … }` in errand.yaml.',
    },
  );
}

/** The real path, as far as it exists already. */
async function settled(path: string): Promise<string> {
  const full = resolve(path);
  try {
    return await realpath(full);
  } catch {
    return dirname(full) === full ? full : join(await settled(dirname(full)), basename(full));
  }
}
