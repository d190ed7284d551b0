// Reads a command line by the table. Written by hand because start-up time is a promise: loading commander and building
// the same commands with it took 17 ms, half of what Node itself needs to start; this takes less than 1 ms.
import { ErrandError } from '@errand/contract';
import type { CommandSpec, OptionSpec } from './command.ts';
import { closest } from './suggest.ts';

export interface Arguments {
  flag(option: string): boolean;
  text(option: string): string | undefined;
  list(option: string): readonly string[];
  positional(index: number): string | undefined;
  /** This one and all that follow. */
  positionals(from: number): readonly string[];
  /** What came after `--`, untouched; undefined when there was no `--`. */
  readonly argv: readonly string[] | undefined;
}

export interface Invocation {
  /** Absent when only global options were given, or the beginning of a group such as `lease`. */
  readonly command: CommandSpec | undefined;
  readonly group: readonly string[];
  readonly args: Arguments;
}

export interface Grammar {
  readonly commands: readonly CommandSpec[];
  readonly globalOptions: readonly OptionSpec[];
}

export function parse(grammar: Grammar, line: readonly string[]): Invocation {
  const words: string[] = [];
  const path: string[] = [];
  const values = new Map<string, string[]>();
  let command: CommandSpec | undefined;
  let argv: readonly string[] | undefined;
  for (let at = 0; at < line.length; at++) {
    const word = line[at] ?? '';
    if (word === '--') {
      argv = line.slice(at + 1);
      break;
    }
    if (word.startsWith('-') && word !== '-') {
      const option = readOption(grammar, command, path, word);
      let value = option.value;
      if (option.spec.value === undefined) {
        if (value !== undefined) throw usage(`${option.spelled} takes no value`, path);
        value = '';
      } else if (value === undefined) {
        value = line[++at];
        if (value === undefined || value === '--')
          throw usage(`${option.spelled} needs a value: ${option.spelled} ${option.spec.value}`, path);
      }
      values.set(option.spec.name, [...(values.get(option.spec.name) ?? []), value]);
    } else if (command) {
      words.push(word);
    } else {
      path.push(word);
      command = grammar.commands.find((candidate) => samePath(candidate.path, path));
      if (!command && !grammar.commands.some((candidate) => samePath(candidate.path.slice(0, path.length), path))) {
        throw unknownCommand(grammar, path);
      }
    }
  }
  const wantsHelp = values.has('help');
  if (command && !wantsHelp) checkWords(command, words, argv);
  if (!command && argv !== undefined && !wantsHelp) {
    throw usage('a command line after -- needs a command before it', path, 'Write errand run -- COMMAND ARGUMENTS.');
  }
  return { command, group: path, args: accessors(grammar, command, values, words, argv) };
}

function readOption(grammar: Grammar, command: CommandSpec | undefined, path: readonly string[], word: string) {
  const equals = word.indexOf('=');
  // What follows `=` may be a secret: it is never part of a message.
  const spelled = equals === -1 ? word : word.slice(0, equals);
  const known = [...grammar.globalOptions, ...(command?.options ?? [])];
  const spec = known.find((option) => spelled === `--${option.name}` || spelled === `-${option.short}`);
  if (spec) return { spec, spelled, value: equals === -1 ? undefined : word.slice(equals + 1) };
  const guess = closest(
    spelled,
    known.map((option) => `--${option.name}`),
  );
  const where = command ? `errand ${command.path.join(' ')}` : 'errand';
  const elsewhere = !command && grammar.commands.some((other) => other.options.some((option) => `--${option.name}` === spelled));
  const hint = elsewhere ? ` before the command; options of a command come after it` : guess ? `; did you mean ${guess}?` : '';
  throw usage(`${where} has no option ${spelled}${hint}`, path);
}

function checkWords(command: CommandSpec, words: readonly string[], argv: readonly string[] | undefined): void {
  const name = `errand ${command.path.join(' ')}`;
  const missing = command.args.slice(words.length).find((arg) => !arg.optional);
  if (missing) throw usage(`${name} needs ${missing.name}`, command.path);
  const extra = command.args.at(-1)?.many ? undefined : words[command.args.length];
  if (extra !== undefined) {
    throw command.argv
      ? usage(`${name} takes the command after --`, command.path, `Write ${name} … -- ${extra} …`)
      : usage(`${name} does not take the argument ${JSON.stringify(extra)}`, command.path);
  }
  if (argv !== undefined && !command.argv) throw usage(`${name} takes nothing after --`, command.path);
}

function unknownCommand(grammar: Grammar, path: readonly string[]): ErrandError {
  const depth = path.length;
  const siblings = grammar.commands.filter((one) => !one.hidden && samePath(one.path.slice(0, depth - 1), path.slice(0, -1)));
  const guess = closest(path[depth - 1] ?? '', new Set(siblings.map((one) => one.path[depth - 1] ?? '')));
  const parent = path.slice(0, -1);
  const hint = guess ? `; did you mean errand ${[...parent, guess].join(' ')}?` : '';
  return usage(`there is no command errand ${path.join(' ')}${hint}`, parent);
}

function accessors(
  grammar: Grammar,
  command: CommandSpec | undefined,
  values: ReadonlyMap<string, readonly string[]>,
  words: readonly string[],
  argv: readonly string[] | undefined,
): Arguments {
  const given = (option: string): readonly string[] => {
    const known = [...grammar.globalOptions, ...(command?.options ?? [])].some((one) => one.name === option);
    if (!known) throw new ErrandError('internal/bug', `the command asked for the option --${option}, which it does not declare`);
    return values.get(option) ?? [];
  };
  return {
    flag: (option) => given(option).length > 0,
    text: (option) => given(option).at(-1),
    list: given,
    positional: (index) => words[index],
    positionals: (from) => words.slice(from),
    argv,
  };
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

function usage(message: string, path: readonly string[], next?: string): ErrandError {
  return new ErrandError('usage/invalid', message, { next: next ?? `See ${['errand', ...path].join(' ')} --help.` });
}
