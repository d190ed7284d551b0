// Real SIGKILLs: a process that applies is killed, at a moment by chance or around one call, and the next apply has to find
// everything: no state lost, nothing doubled, nothing forgotten, without a flag or a human.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FakeRule } from '../fake-infra.ts';
import { converge, writeStack } from './stack.ts';
import type { Phase, StackHome } from './stack.ts';

export interface KillOptions {
  readonly kills: number;
  readonly resources: number;
  /** In [0, 1): which moments. */
  readonly chance: () => number;
  readonly told?: (line: string) => void;
}

export interface KillResult {
  readonly kills: number;
  /** Of them, before the apply had come to its end. */
  readonly during: number;
  readonly wrong: readonly string[];
}

const phases: readonly Phase[] = ['first', 'changed', 'gone'];

interface Life {
  /** Milliseconds from `applying` to `applied`; undefined when it did not come so far. */
  readonly took: number | undefined;
  readonly begun: boolean;
  readonly errors: string;
}

/** `after`: milliseconds after it began to apply; absent: nobody kills it but itself. */
function live(home: StackHome, rules: readonly FakeRule[], after?: number): Promise<Life> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('child.ts', import.meta.url))],
    {
      env: { PATH: process.env['PATH'], HOME: home.directory, ERRAND_KILL: JSON.stringify({ ...home, rules }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let [said, errors] = ['', ''];
  let began: number | undefined;
  let took: number | undefined;
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString();
    if (began === undefined && said.includes('applying')) {
      began = performance.now();
      if (after !== undefined) setTimeout(() => void child.kill('SIGKILL'), after);
    }
    if (began !== undefined && said.includes('applied')) took ??= performance.now() - began;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve({ took, begun: began !== undefined, errors }));
  });
}

/** Of each three kills, one hits the creation, one a change with replacements, one the deletion. */
export async function killByChance(options: KillOptions): Promise<KillResult> {
  const { kills, resources, chance } = options;
  const wrong: string[] = [];
  const usual = new Map<Phase, number>();
  let done = 0;
  let during = 0;
  while (done < kills) {
    const directory = await mkdtemp(join(tmpdir(), 'errand-kill-'));
    const home: StackHome = { directory, resources };
    for (const phase of phases) {
      writeStack(home, phase);
      const expected = usual.get(phase);
      // The first of each kind is left alone, to know how long it takes; whole rounds of three are killed.
      const life = await live(home, [], expected === undefined ? undefined : chance() * expected);
      if (expected === undefined) usual.set(phase, life.took ?? 0);
      else done += 1;
      if (!life.begun) wrong.push(`${phase}: it did not come to apply: ${life.errors}`);
      if (life.took === undefined) during += 1;
      const { wrong: found } = await converge(home);
      wrong.push(...found.map((one) => `kill ${done} (${phase}): ${one}`));
      options.told?.(
        `kill ${done} of ${kills} (${phase}): ${life.took === undefined ? 'during' : 'after'}; ${found.length} wrong`,
      );
    }
    await rm(directory, { recursive: true, force: true });
  }
  return { kills: done, during, wrong };
}

/** The process dies right before and right after each call that changes something on the platform. */
export async function killAtCalls(resources: number, told?: (line: string) => void): Promise<KillResult> {
  const wrong: string[] = [];
  let kills = 0;
  for (const [at, phase] of phases.entries()) {
    const scenario = async (call: number, how: 'die' | 'die-after') => {
      const directory = await mkdtemp(join(tmpdir(), 'errand-kill-'));
      const home: StackHome = { directory, resources };
      try {
        for (const before of phases.slice(0, at)) {
          writeStack(home, before);
          wrong.push(...(await converge(home)).wrong);
        }
        writeStack(home, phase);
        const { took } = await live(home, [{ on: 'mutating', fault: { do: how }, calls: [call, call] }]);
        if (took !== undefined) return false;
        kills += 1;
        const found = (await converge(home)).wrong;
        wrong.push(...found.map((one) => `${how} ${call} (${phase}): ${one}`));
        told?.(`${phase}: ${how} at call ${call}; ${found.length} wrong`);
        return true;
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    };
    for (let call = 1; ; call++) {
      const alive = await Promise.all((['die', 'die-after'] as const).map((how) => scenario(call, how)));
      if (alive.every((died) => !died)) break;
    }
  }
  return { kills, during: kills, wrong };
}
