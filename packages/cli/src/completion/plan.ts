// What the three scripts have in common, read off the command table.
import type { CommandSpec, Completes, OptionSpec } from '../command.ts';
import type { Grammar } from '../parse.ts';

export interface Word {
  readonly word: string;
  readonly summary: string;
}

export interface Plan {
  /** Spellings of options that take a value, so that the scripts can skip it. */
  readonly valued: readonly string[];
  /** Spelling → what completes its value, unless an exception of the command says otherwise. */
  readonly values: ReadonlyMap<string, Completes>;
  readonly exceptions: readonly { readonly command: string; readonly spelling: string; readonly completes: Completes }[];
  /** `''`, `lease`, … → the words that may come next. */
  readonly groups: ReadonlyMap<string, readonly Word[]>;
  readonly commands: readonly CommandSpec[];
  readonly options: (command: CommandSpec) => readonly OptionSpec[];
}

export function completionPlan(grammar: Grammar): Plan {
  const commands = grammar.commands.filter((command) => !command.hidden);
  const all = [...grammar.globalOptions, ...commands.flatMap((command) => command.options)];
  const withValue = all.filter((option) => option.value !== undefined);
  const groups = new Map<string, Word[]>();
  for (const command of commands) {
    for (const [depth, word] of command.path.entries()) {
      const group = command.path.slice(0, depth).join(' ');
      const words = groups.get(group) ?? [];
      groups.set(group, words);
      if (words.some((one) => one.word === word)) continue;
      words.push({ word, summary: depth === command.path.length - 1 ? command.summary : `commands about ${word}` });
    }
  }
  const values = new Map<string, Completes>();
  for (const option of withValue) {
    for (const name of spellings(option)) if (!values.has(name)) values.set(name, option.completes ?? []);
  }
  const exceptions = commands.flatMap(({ path, options }) =>
    options
      .filter((option) => option.value !== undefined)
      .flatMap((option) =>
        spellings(option).map((spelling) => ({ command: path.join(' '), spelling, completes: option.completes ?? [] })),
      )
      .filter(({ spelling, completes }) => String(values.get(spelling)) !== String(completes)),
  );
  return {
    valued: [...values.keys()],
    values,
    exceptions,
    groups,
    commands,
    options: (command) => [...command.options, ...grammar.globalOptions],
  };
}

export function spellings(option: OptionSpec): string[] {
  return option.short === undefined ? [`--${option.name}`] : [`--${option.name}`, `-${option.short}`];
}

/** Inside single quotes, for bash, zsh and fish alike: none of our texts needs more than the quote itself escaped. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
