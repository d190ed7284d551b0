import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ErrandError } from '@errand/contract';
import { isInside } from './file.ts';

/** Secret files must not lie among what Errand writes: the data directory is copied, shown and thrown away as a whole. */
export function checkSecretDirectory(directory: string, home: string): void {
  const [secrets, data] = [settled(directory), settled(home)];
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
function settled(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    return dirname(full) === full ? full : join(settled(dirname(full)), basename(full));
  }
}
