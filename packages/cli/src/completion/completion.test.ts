import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands, globalOptions } from '../commands.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const grammar = { commands, globalOptions };
let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'errand-completion-'));
  writeFileSync(join(directory, 'errand'), '#!/bin/sh\ntest "$1" = __complete && printf "%s\\n" "$2-one" "$2-two"\n', {
    mode: 0o755,
  });
  writeFileSync(join(directory, 'some file.yaml'), '');
});
afterAll(() => rmSync(directory, { recursive: true }));

/** What bash would offer for the last word; `=` is a word of its own, as bash splits it. */
function offered(...words: string[]): string[] {
  const list = words.map((word) => `'${word}'`).join(' ');
  const script = `${bashCompletion(grammar)}
compopt() { :; }
COMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}
_errand
((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}"
true`;
  const env = { ...process.env, PATH: `${directory}:${process.env['PATH']}` };
  const done = spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: directory, env });
  expect(done.stderr).toBe('');
  return done.stdout.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  test('commands and subcommands, hidden ones left out', () => {
    expect(offered('errand', '')).toEqual([...new Set(commands.filter((one) => !one.hidden).map((one) => one.path[0]))]);
    expect(offered('errand', 'r')).toEqual(['run', 'runs']);
    expect(offered('errand', 'lease', 're')).toEqual(['renew', 'release']);
    expect(offered('errand', '--home', '/x', 'conf')).toEqual(['config']);
  });

  test('options of the command and of all', () => {
    expect(offered('errand', 'run', '--t')).toEqual(['--timeout']);
    expect(offered('errand', 'logs', 'x', '--')).toEqual([
      '--follow',
      '--stream',
      '--since',
      '--json',
      '--home',
      '--config',
      '--quiet',
      '--help',
    ]);
    expect(offered('errand', '--q')).toEqual(['--quiet']);
  });

  test('values: names from errand itself, words, files', () => {
    expect(offered('errand', 'run', '--on', '')).toEqual(['environment-one', 'environment-two']);
    expect(offered('errand', 'run', '--on', '=', 'environment-t')).toEqual(['environment-two']);
    expect(offered('errand', 'logs', '--stream', '')).toEqual(['stdout', 'stderr']);
    expect(offered('errand', 'runs', '--config', 'some')).toEqual(['some file.yaml']);
    expect(offered('errand', 'run', '--timeout', '')).toEqual([]);
    expect(offered('errand', 'run', '--out', 'some')).toEqual([]);
    expect(offered('errand', 'infra', 'plan', '--out', 'some')).toEqual(['some file.yaml']);
  });

  test('arguments, also after options with values', () => {
    expect(offered('errand', 'show', '')).toEqual(['run-one', 'run-two']);
    expect(offered('errand', 'show', 'run-one', '')).toEqual([]);
    expect(offered('errand', 'lease', 'exec', '--env', 'A=1', 'lease-t')).toEqual(['lease-two']);
    expect(offered('errand', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offered('errand', 'infra', 'state', 're')).toEqual(['restore']);
    expect(offered('errand', 'infra', 'state', 'rm', 'resource-one', 'resource-t')).toEqual(['resource-two']);
  });

  test('after --, programs and then files', () => {
    expect(offered('errand', 'run', '--', 'bas')).toContain('bash');
    expect(offered('errand', 'run', '--', 'cat', 'some')).toEqual(['some file.yaml']);
  });
});

const scripts = [
  { shell: 'bash', script: bashCompletion(grammar), check: ['-n'] },
  { shell: 'zsh', script: zshCompletion(grammar), check: ['-n'] },
  { shell: 'fish', script: fishCompletion(grammar), check: ['--no-execute'] },
];

test.each(scripts)('the $shell script knows every command and option', ({ script }) => {
  for (const command of commands.filter((one) => !one.hidden)) {
    for (const word of [...command.path, ...command.options.map((option) => option.name)]) expect(script).toContain(word);
  }
});

test.for(scripts)('$shell takes its script', ({ shell, script, check }, { skip }) => {
  if (spawnSync(shell, ['--version']).error && !process.env['CI']) skip(`${shell} is not installed here`);
  const file = join(directory, `script.${shell}`);
  writeFileSync(file, script);
  const done = spawnSync(shell, [...check, file], { encoding: 'utf8' });
  expect([done.stderr, done.status]).toEqual(['', 0]);
});
