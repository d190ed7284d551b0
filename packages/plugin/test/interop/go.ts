// Builds the Go programs of packages/plugin/interop. Go's own cache makes every build but the first a matter of a second.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const sources = join(import.meta.dirname, '../../interop');

export interface GoPrograms extends AsyncDisposable {
  readonly host: string;
  readonly plugin: string;
}

/** The programs, or why there are none. On CI there is no excuse. */
export async function buildGoPrograms(module: 'go' | 'iac' | 'sdk'): Promise<GoPrograms | string> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-interop-'));
  const dispose = () => rm(directory, { recursive: true, force: true });
  // A copy, so that nothing that Go might write lands in the sources.
  await cp(join(sources, module), join(directory, 'src'), { recursive: true });
  const go = (...args: readonly string[]) => run('go', args, { cwd: join(directory, 'src'), timeout: 290_000 });
  for (const [args, reason] of [
    [['version'], 'the Go toolchain is not on the PATH'],
    [['mod', 'download'], 'the Go modules cannot be fetched'],
  ] as const) {
    try {
      await go(...args);
    } catch (error) {
      await dispose();
      if (process.env['CI'] !== undefined) throw error;
      return reason;
    }
  }
  await go('build', '-buildvcs=false', '-o', `${directory}/`, './...');
  return { host: join(directory, 'host'), plugin: join(directory, 'plugin'), [Symbol.asyncDispose]: dispose };
}
