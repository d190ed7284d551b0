import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ResourceSpec } from '@errand/contract';
import type { DriverWorld } from './world.ts';

export interface CreatePlan {
  readonly program: string;
  readonly home: string;
  readonly spec: ResourceSpec;
  readonly key: string;
}

/** Creates in a process of its own, which is killed `after` milliseconds from when it began. Gives how long it took. */
export async function killedCreate(
  world: DriverWorld,
  spec: ResourceSpec,
  key: string,
  after: number | undefined,
): Promise<number> {
  const { program } = world.subject;
  if (!program) throw new Error('no program was given');
  const plan: CreatePlan = { program: program.href, home: world.home, spec, key };
  const file = fileURLToPath(new URL('child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    env: { ...process.env, ERRAND_CREATE_PLAN: JSON.stringify(plan) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let begun = 0;
  let errors = '';
  let timer: NodeJS.Timeout | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdout.once('data', () => {
    begun = performance.now();
    if (after !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), after);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  clearTimeout(timer);
  if (code !== 0 && code !== null) throw new Error(`the creating process failed: ${errors}`);
  return performance.now() - begun;
}
