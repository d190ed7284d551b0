import { expect } from '../expect.ts';
import type { RunnerScenario } from './scenario.ts';
import { gather } from './world.ts';

const printArgs = String.raw`for a do printf '%s\000' "$a"; done`;

export const argvExact: RunnerScenario = {
  name: 'argv arrives unchanged: spaces, quotes, newlines, $, empty, non-ASCII, 100 KB',
  async run(world) {
    const args = [
      'two words',
      ' lead and trail ',
      `it's "quoted" \`ticked\``,
      'line one\nline two\n',
      '$HOME ${PATH} $(id) !! %s \\n \\',
      '',
      '*',
      '-n',
      'ünïcödé ✓ 日本語 🚀',
      'x'.repeat(100 * 1024),
      '',
    ];
    const job = await world.start({ argv: ['/bin/sh', '-c', printArgs, 'sh', ...args] });
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 0 });
    const { stdout } = await job.output();
    expect(stdout.toString().split('\0').slice(0, -1)).toEqual(args);
  },
};

export const script: RunnerScenario = {
  name: 'a script goes through a shell',
  async run(world) {
    const text = 'x=1\nfor i in a b; do\n  echo "$i $x" | tr a-z A-Z\ndone\nexit 3';
    const job = await world.start({ script: text });
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 3 });
    expect((await job.output()).stdout.toString()).toBe('A 1\nB 1\n');
  },
};

export const environment: RunnerScenario = {
  name: 'the environment has what was asked for, exactly, and nothing of the host’s own',
  async run(world) {
    const value = ` a "b" 'c' $D\nnext=line\\ ü✓`;
    process.env['ERRAND_CONFORMANCE_CANARY'] = 'leaked';
    try {
      // A fresh opening, so that nothing was read from the environment before the canary was in it.
      const { runner } = await world.reopen();
      const key = world.newKey();
      const asked = world.spec(
        { script: 'printf %s "$ODD"; printf "|%s|" "$EMPTY${EMPTY+set}"; env' },
        { env: { ODD: value, EMPTY: '' } },
      );
      const handle = await runner?.start(asked, world.call(key));
      const job = { key, ...(handle ? { handle } : {}) };
      const { stdout } = await gather(world.runner.logs(job, undefined, world.ask));
      expect(stdout.toString().startsWith(`${value}|set|`)).toBe(true);
      expect(stdout.toString()).not.toContain('leaked');
      expect(stdout.toString()).toMatch(/^PATH=/m);
    } finally {
      delete process.env['ERRAND_CONFORMANCE_CANARY'];
    }
  },
};

export const noInput: RunnerScenario = {
  name: 'stdin is empty, not a terminal and not ours',
  async run(world) {
    const job = await world.start('cat; test -t 0 && echo terminal; echo done');
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 0 });
    expect((await job.output()).stdout.toString()).toBe('done\n');
  },
};
