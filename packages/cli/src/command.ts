// What a command is. The table in `commands.ts` is the only description: the parser, the help and the completion
// scripts are all made from it, so they cannot drift apart.
import type { Context } from './context.ts';
import type { Arguments } from './parse.ts';

/** What completes a value: a word list, something on this machine, or something that Errand knows. */
export type Completes = readonly string[] | 'file' | 'directory' | 'environment' | 'run' | 'lease' | 'resource';

export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** What to call the value in the help; a flag has none. */
  readonly value?: string;
  readonly many?: true;
  readonly summary: string;
  readonly completes?: Completes;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly optional?: true;
  /** The last one only: takes all words that are left. */
  readonly many?: true;
  readonly completes?: Completes;
}

/** Gives the exit status. */
export type Action = (context: Context, args: Arguments) => Promise<number>;

export interface CommandSpec {
  /** `['lease', 'exec']` for `errand lease exec`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly args: readonly ArgumentSpec[];
  /** Takes `-- ARGV…`, which is passed on untouched. */
  readonly argv?: true;
  readonly options: readonly OptionSpec[];
  /** What `--json` prints; shown in the help. */
  readonly json: string;
  readonly notes?: string;
  readonly hidden?: true;
  /** A command's code is loaded only when it is used: start-up time is a promise. */
  readonly load: () => Promise<Action>;
}
