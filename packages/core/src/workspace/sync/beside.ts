import { look } from './look.ts';
import { create, Taken } from './place-file.ts';
import type { Target } from './place-file.ts';
import { same } from './version.ts';
import type { Version } from './version.ts';

/** No file system that we know takes longer names, in bytes. */
const longestName = 255;

/**
 * Keeps the job's version of `path` beside what is here and tells where. `obstacle` is the path itself, or the file or link
 * that stands where a directory above it would be. Nothing is overwritten; the same version is not kept twice.
 */
export async function keepBeside(
  target: Target,
  path: string,
  obstacle: string,
  version: Version,
  mode: number,
): Promise<string> {
  for (let n = 1; ; n++) {
    const at = besideName(obstacle, target.run, n) + path.slice(obstacle.length);
    const looked = await look(target.root, at);
    if (same(looked.version, version)) return at;
    if (looked.version !== undefined || looked.blocked !== undefined) continue;
    try {
      await create(target, path, at, version, mode);
      return at;
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
    }
  }
}

/** `NAME.errand-RUN`, `NAME.errand-RUN.2`, …; a name that is too long for that is cut. */
export function besideName(path: string, run: string, n: number): string {
  const suffix = `.errand-${run}${n === 1 ? '' : `.${n}`}`;
  const slash = path.lastIndexOf('/') + 1;
  let name = path.slice(slash);
  while (Buffer.byteLength(name) + suffix.length > longestName) name = Array.from(name).slice(0, -1).join('');
  return `${path.slice(0, slash)}${name}${suffix}`;
}
