// A directory with busybox's programs and nothing else, as small systems have them.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Tools extends AsyncDisposable {
  readonly path: string;
}

/** Or why there is none. */
export async function busyboxTools(): Promise<Tools | string> {
  const program = ['/bin/busybox', '/usr/bin/busybox'].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (program === undefined) return 'no busybox is on this machine (Debian: busybox-static)';
  const path = await mkdtemp(join(tmpdir(), 'errand-busybox-'));
  for (const name of execFileSync(program, ['--list'], { encoding: 'utf8' }).trim().split('\n'))
    symlinkSync(program, join(path, name));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
