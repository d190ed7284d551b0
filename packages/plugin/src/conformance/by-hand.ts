import { spawn } from 'node:child_process';
import { cookie } from '../handshake/cookie.ts';
import { signalGroup } from '../launch/signal-group.ts';

const patience = 10_000;

/** Starts it as a curious person would. The code is undefined when it had to be killed; -1 stands for an end by a signal. */
export async function startByHand(executable: string, directory: string): Promise<{ code: number | undefined; output: string }> {
  const { [cookie.name]: _, ...env } = process.env;
  const child = spawn(executable, [], { cwd: directory, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let killed = false;
  const alarm = setTimeout(() => {
    killed = true;
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  }, patience);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => resolve(status ?? -1));
    });
    return { code: killed ? undefined : code, output };
  } finally {
    clearTimeout(alarm);
  }
}
