import { variables } from '../handshake/cookie.ts';

/** How often we look whether our parent is still the one that launched us. */
const interval = 1000;

/**
 * Calls `gone` when the host is dead. Its end of our stdin tells at once where the host says that it holds it; a Go host does
 * not, and there a new parent tells.
 */
export function watchHost(env: Readonly<Record<string, string | undefined>>, gone: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) gone();
  }, interval).unref();
  if (env[variables.lifeline] !== 'stdin') return;
  process.stdin.once('end', gone).once('error', gone).resume();
  // It must not keep an otherwise finished process alive.
  if ('unref' in process.stdin && typeof process.stdin.unref === 'function') process.stdin.unref();
}
