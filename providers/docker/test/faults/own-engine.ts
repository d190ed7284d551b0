// An engine that a test may kill. It has its own place for everything, and a network namespace of its own: without a bridge
// it would remove that of the machine's engine.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface OwnEngine extends AsyncDisposable {
  readonly address: string;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
}

/** Why none can be had here; undefined when it can. */
export function noOwnEngine(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can start a Docker engine of its own';
  const absent = ['dockerd', 'unshare'].filter((program) => spawnSync(program, ['--version']).error);
  return absent.length > 0 ? `no ${absent.join(' and no ')} on the PATH` : undefined;
}

export async function startOwnEngine(flags: readonly string[]): Promise<OwnEngine> {
  const home = await mkdtemp(join(tmpdir(), 'errand-engine-'));
  const socket = join(home, 'docker.sock');
  const paths = ['--data-root', join(home, 'data'), '--exec-root', join(home, 'exec'), '--pidfile', join(home, 'pid')];
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    await rm(join(home, 'pid'), { force: true });
    await rm(socket, { force: true });
    const command = ['dockerd', ...paths, '-H', `unix://${socket}`, '--bridge=none', '--iptables=false', ...flags];
    child = spawn('unshare', ['--net', ...command], { stdio: 'ignore' });
    for (let tries = 0; !existsSync(socket); tries++) {
      if (child.exitCode !== null || tries > 300) throw new Error(`dockerd did not come up (${child.exitCode})`);
      await pause(100);
    }
  }

  async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    if (signal === 'SIGKILL') await endContainerd(join(home, 'exec'));
  }

  await start();
  return {
    address: `unix://${socket}`,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGTERM');
      await endContainerd(join(home, 'exec'));
      // What containers had mounted.
      spawnSync('umount', ['--recursive', '--lazy', join(home, 'data')]);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A killed engine takes it along, or does not; what it wrote of it would keep the next engine waiting for the dead. */
async function endContainerd(exec: string): Promise<void> {
  const file = join(exec, 'containerd', 'containerd.pid');
  const pid = Number(await readFile(file, 'utf8').catch(() => ''));
  if (!pid) return;
  try {
    process.kill(pid, 'SIGKILL');
    await pause(200);
  } catch {
    // It is gone.
  }
  await rm(file, { force: true });
}
