// This side of the supervisor: launched when the first job is in sight, told to start jobs, listened to for hints.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { JobExit } from '@errand/contract';
import { baseEnvironment } from './environment.ts';
import { identityOf } from './processes.ts';
import type { Identity } from './processes.ts';
import type { Reply, StartReply, StartRequest } from './protocol.ts';

export interface Supervisor extends Disposable {
  /** Launches it if none is alive. Returns at once; the program comes up meanwhile. */
  warm(): Identity;
  /** Undefined when it died before it answered: what happened then is in the files. */
  start(request: Omit<StartRequest, 'id'>): Promise<StartReply | undefined>;
  /** The exit of a job that this supervisor has; it gives undefined when the supervisor dies first. Undefined for other jobs. */
  exit(base: string): Promise<JobExit | undefined> | undefined;
}

interface Live {
  readonly child: ChildProcess;
  readonly identity: Identity;
  readonly replies: Map<number, (reply: StartReply | undefined) => void>;
  readonly exits: Map<string, PromiseWithResolvers<JobExit | undefined>>;
}

/** Beside the sources it is a source, beside the bundle a bundle. */
function programPath(): string {
  const name = import.meta.url.endsWith('.ts') ? './supervisor.ts' : './supervisor.js';
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Jobs get an environment of their own, so this one is the supervisor's alone. */
function compileCache(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

const lean = ['--max-semi-space-size=1', '--max-old-space-size=128', '--no-warnings'];

export function createSupervisor(): Supervisor {
  let live: Live | undefined;
  let count = 0;

  function launch(): Live {
    const child = spawn(process.execPath, [...lean, programPath()], {
      detached: true,
      cwd: '/',
      env: { ...baseEnvironment(process.env), ...compileCache() },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const started: Live = {
      child,
      identity: child.pid === undefined ? { pid: 0, started: '' } : identityOf(child.pid),
      replies: new Map(),
      exits: new Map(),
    };
    const lost = () => {
      if (live === started) live = undefined;
      for (const resolve of started.replies.values()) resolve(undefined);
      for (const exit of started.exits.values()) exit.resolve(undefined);
      started.replies.clear();
      started.exits.clear();
    };
    child.on('error', lost);
    child.stdin?.on('error', lost);
    child.stdout?.on('close', lost);
    child.stdout?.setEncoding('utf8');
    let rest = '';
    child.stdout?.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hear(started, JSON.parse(line) as Reply);
    });
    child.unref();
    hold(started);
    return started;
  }

  function hear(from: Live, reply: Reply): void {
    if ('id' in reply) {
      from.replies.get(reply.id)?.(reply.reply);
      from.replies.delete(reply.id);
    } else {
      from.exits.get(reply.base)?.resolve(reply.exit);
      from.exits.delete(reply.base);
    }
    hold(from);
  }

  /** Only an unanswered request keeps this process alive; a running job does not. */
  function hold({ child, replies }: Live): void {
    for (const pipe of [child.stdin, child.stdout] as unknown as readonly (Socket | null)[]) {
      if (replies.size > 0) pipe?.ref();
      else pipe?.unref();
    }
  }

  function current(): Live {
    live ??= launch();
    return live;
  }

  return {
    warm: () => current().identity,
    start(request) {
      const to = current();
      count += 1;
      const id = count;
      const exit = to.exits.get(request.base) ?? Promise.withResolvers<JobExit | undefined>();
      const first = !to.exits.has(request.base);
      to.exits.set(request.base, exit);
      return new Promise((resolve) => {
        to.replies.set(id, (reply) => {
          // Somebody else has the job: no exit of it will be heard here.
          if (first && reply?.kind !== 'started') {
            exit.resolve(undefined);
            to.exits.delete(request.base);
          }
          resolve(reply);
        });
        hold(to);
        to.child.stdin?.write(`${JSON.stringify({ ...request, id })}\n`);
      });
    },
    exit: (base) => live?.exits.get(base)?.promise,
    [Symbol.dispose]() {
      // One that was launched in vain has nothing to look after; the others leave after their last job.
      if (count === 0) live?.child.kill('SIGKILL');
      else live?.child.stdin?.end();
    },
  };
}
