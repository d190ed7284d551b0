import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The same program, in its own session, holding none of our streams; it survives us and the terminal. */
export async function startDetached(args: readonly string[]): Promise<void> {
  const entry = process.argv[1] ?? '';
  const child = spawn(process.execPath, [...process.execArgv, entry, ...args], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  child.unref();
}
