import { describe, expect, test } from 'vitest';
import { commands, globalOptions } from './commands.ts';
import { parse } from './parse.ts';

const read = (...line: string[]) => parse({ commands, globalOptions }, line);

describe('a command line', () => {
  test('gives flags, values, lists and positionals', () => {
    const { command, args } = read('logs', '01AB', '--follow', '--stream=stderr', '--since', 'x=1');
    expect(command?.path).toEqual(['logs']);
    expect(args.positional(0)).toBe('01AB');
    expect(args.flag('follow')).toBe(true);
    expect(args.text('stream')).toBe('stderr');
    expect(args.text('since')).toBe('x=1');
    expect(read('run', '--env', 'A=1', '--env=B=2', '--', 'x').args.list('env')).toEqual(['A=1', 'B=2']);
  });

  test('passes on what follows -- untouched', () => {
    const argv = ['--json', '', '--', 'a b', '\'"$x\n', '-q', 'ü', '--help', 'x'.repeat(100_000)];
    const { args } = read('run', '--on', 'ci', '--', ...argv);
    expect(args.argv).toEqual(argv);
    expect(args.flag('json')).toBe(false);
  });

  test('takes global options before and after the command, and a value that looks like an option', () => {
    const { command, args } = read('--home', '/x', '-q', 'run', '--json', '--script', '-e');
    expect(command?.path).toEqual(['run']);
    expect([args.text('home'), args.flag('quiet'), args.flag('json'), args.text('script')]).toEqual(['/x', true, true, '-e']);
  });

  test('finds commands of two words', () => {
    expect(read('lease', 'renew', 'L', '--ttl', '5m').command?.path).toEqual(['lease', 'renew']);
    expect(read('lease').command).toBeUndefined();
    expect(read('lease').group).toEqual(['lease']);
  });

  test('of a repeated single value, the last counts', () => {
    expect(read('run', '--on', 'a', '--on', 'b', '--', 'x').args.text('on')).toBe('b');
  });
});

describe('is refused with a hint', () => {
  const refused: [string[], RegExp][] = [
    [['rn'], /no command errand rn; did you mean errand run\?/],
    [['lease', 'aquire', 'x'], /no command errand lease aquire; did you mean errand lease acquire\?/],
    [['run', '--jsno', '--', 'x'], /errand run has no option --jsno; did you mean --json\?/],
    [['run', '--secrt=K=hunter2', '--', 'x'], /^errand run has no option --secrt; did you mean --secret\?$/],
    [['--on', 'ci', 'run'], /--on before the command; options of a command come after it/],
    [['run', '--on'], /--on needs a value: --on ENV/],
    [['run', '--on', '--', 'true'], /--on needs a value/],
    [['run', '--detach=yes', '--', 'x'], /--detach takes no value/],
    [['run', 'ls'], /errand run takes the command after --/],
    [['show'], /errand show needs RUN/],
    [['show', 'a', 'b'], /errand show does not take the argument "b"/],
    [['show', 'a', '--', 'b'], /errand show takes nothing after --/],
    [['--', 'true'], /needs a command before it/],
    [['run', '-x'], /errand run has no option -x/],
  ];
  test.each(refused)('%j', (line, message) => {
    expect(() => read(...line)).toThrow(
      expect.objectContaining({ code: 'usage/invalid', message: expect.stringMatching(message) }),
    );
  });

  test('a word that is far from every command gets no guess', () => {
    expect(() => read('xyzzy')).toThrow(/^there is no command errand xyzzy$/);
  });
});

test('asking for an option that the command does not declare is a defect', () => {
  expect(() => read('runs').args.flag('follow')).toThrow(expect.objectContaining({ code: 'internal/bug' }));
});

test('an option of one name means the same in its group, and takes a value everywhere or nowhere', () => {
  const seen = new Map<string, string>();
  const taken = new Map<string, boolean>();
  for (const { path, options } of commands) {
    for (const option of options) {
      // Infrastructure has its own --env and --out; the completion scripts know the difference.
      const name = `${path[0] === 'infra' ? 'infra ' : ''}${option.name}`;
      const shape = JSON.stringify([option.value, option.many, option.completes]);
      expect(seen.get(name) ?? shape).toBe(shape);
      seen.set(name, shape);
      const takes = option.value !== undefined;
      expect(taken.get(option.name) ?? takes).toBe(takes);
      taken.set(option.name, takes);
    }
  }
});

test('the last argument may take all that is left', () => {
  expect(read('infra', 'state', 'rm', 'a', 'b', 'c').args.positionals(0)).toEqual(['a', 'b', 'c']);
  expect(() => read('infra', 'state', 'rm')).toThrow('needs NAME');
  expect(() => read('infra', 'state', 'mv', 'a', 'b', 'c')).toThrow('does not take the argument "c"');
});
