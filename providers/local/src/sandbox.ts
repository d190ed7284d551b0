import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Diagnostic, Json } from '@errand/contract';
import { codeOf } from './files.ts';
import { onLinux } from './processes.ts';

export function sandboxOf(options: Json): 'none' | 'strict' {
  const strict = typeof options === 'object' && options !== null && 'sandbox' in options && options['sandbox'] === 'strict';
  return strict ? 'strict' : 'none';
}

const probe = ['--ro-bind', '/', '/', '--unshare-net', '--unshare-pid', '--proc', '/proc', '--', '/bin/sh', '-c', ':'];

/** Tries it instead of only looking for the program: many machines have bubblewrap and forbid what it needs. */
export async function checkSandbox(): Promise<readonly Diagnostic[]> {
  if (!onLinux) {
    return [
      {
        severity: 'error',
        message: `sandbox: strict needs Linux; this machine runs ${process.platform}`,
        hint: 'Use an environment of another provider, or set sandbox: none.',
      },
    ];
  }
  try {
    await promisify(execFile)('bwrap', probe, { timeout: 10_000 });
    return [];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return [
        {
          severity: 'error',
          message: 'sandbox: strict needs bubblewrap, and there is no `bwrap` on the PATH',
          hint: 'Install it (`apt-get install bubblewrap`, `dnf install bubblewrap`), or set sandbox: none.',
        },
      ];
    }
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    return [
      {
        severity: 'error',
        message: `sandbox: strict needs bubblewrap, and it does not work here: ${said}`,
        hint: 'Allow unprivileged user namespaces on this machine, or set sandbox: none.',
      },
    ];
  }
}
