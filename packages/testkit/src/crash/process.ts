import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Plan } from './plan.ts';

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

export interface Child {
  readonly pid: number;
  readonly end: Promise<ChildEnd>;
  kill(signal: NodeJS.Signals): void;
}

/** A process of its own that plays the plan. */
export function startChild(plan: Plan): Child {
  const file = fileURLToPath(new URL('child.ts', import.meta.url));
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ERRAND_CRASH_PLAN: JSON.stringify(plan) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = new Promise<ChildEnd>((resolve, reject) => {
    let [output, errors] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
    child.on('error', reject);
    // `exit`, not `close`: a surviving job may hold the pipes open. The steps are read a moment later.
    child.on('exit', (code, signal) => setTimeout(() => resolve({ code, signal, output, errors }), code === 0 ? 50 : 0));
  });
  return { pid: child.pid ?? 0, end, kill: (signal) => void child.kill(signal) };
}
