import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Once before all end-to-end tests: they are about the program as it is shipped. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../../scripts/build.ts')], { stdio: 'inherit' });
}
