// What is handed to the kernel for a job, and what it means when the kernel declines.
import type { JobEnd } from '@errand/contract';
import { codeOf } from './files.ts';
import type { StartRequest } from './protocol.ts';

export function commandOf(request: StartRequest): { readonly program: string; readonly args: readonly string[] } {
  const argv = 'script' in request.command ? ['/bin/sh', '-c', request.command.script] : request.command.argv;
  const inside = request.sandbox
    ? [request.sandbox.program, ...sandboxArgs(request.sandbox.hide, request.cwd), ...asShellWould, ...argv]
    : argv;
  const [program = '', ...args] = inside;
  return { program, args };
}

/** bwrap exits 1 when it cannot run a program; a shell tells 126 from 127. */
const asShellWould = ['--', '/bin/sh', '-c', 'exec "$@"', 'errand'];

/**
 * Everything may be read except Errand's own files, nothing written except the workspace and a private /tmp, and there
 * is no network. `--die-with-parent` is left out on purpose: the job must survive its supervisor.
 */
function sandboxArgs(hide: string, work: string): string[] {
  const view = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', hide];
  const workspace = ['--bind', work, work, '--chdir', work];
  const walls = ['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL'];
  return [...view, ...workspace, ...walls];
}

/** 127 and 126 as a shell would say it; what is not the program's fault is an error with a reason. */
export function describeFailure(
  request: StartRequest,
  error: unknown,
  hasDirectory: boolean,
): { readonly end: JobEnd; readonly line?: string } {
  const code = codeOf(error) ?? 'unknown';
  const name = 'script' in request.command ? '/bin/sh' : (request.command.argv[0] ?? '');
  // Node says ENOENT for a missing working directory too.
  if (!hasDirectory) {
    return { end: { kind: 'errored', reason: 'workspace', message: `the directory ${request.cwd} is not there` } };
  }
  if (request.sandbox && code === 'ENOENT') {
    return { end: { kind: 'errored', reason: 'config', message: `bubblewrap is not there: ${request.sandbox.program}` } };
  }
  if (['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'].includes(code)) {
    return { end: { kind: 'errored', reason: 'capacity', message: `this machine cannot start another process (${code})` } };
  }
  const found = code !== 'ENOENT' && name !== '';
  const why = found ? (meanings[code] ?? code) : 'no such program';
  return {
    end: { kind: 'exited', code: found ? 126 : 127 },
    line: `errand: cannot run ${JSON.stringify(name)}: ${why}\n`,
  };
}

const meanings: Readonly<Record<string, string>> = {
  EACCES: 'it is not an executable file',
  EPERM: 'it may not be executed',
  ENOEXEC: 'it is not a program for this machine',
  ENOTDIR: 'a part of its path is not a directory',
  E2BIG: 'its arguments and environment are too long',
  ETXTBSY: 'it is being written to',
  ELOOP: 'its path has too many links',
  ENAMETOOLONG: 'its name is too long',
};
