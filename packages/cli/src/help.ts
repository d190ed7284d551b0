import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.ts';
import type { Grammar } from './parse.ts';

export function usageLine(command: CommandSpec): string {
  const args = command.args.map((arg) => ` ${argumentText(arg)}`).join('');
  const options = command.options.length > 0 ? ' [OPTIONS]' : '';
  return `errand ${command.path.join(' ')}${args}${options}${command.argv ? ' (-- ARGV… | --script TEXT)' : ''}`;
}

export function commandHelp(grammar: Grammar, command: CommandSpec): string {
  const parts = [usageLine(command), '', sentence(command.summary), ''];
  if (command.options.length > 0) parts.push('Options:', ...optionLines(command.options), '');
  parts.push('Everywhere:', ...optionLines(grammar.globalOptions), '', `With --json: ${command.json}.`);
  if (command.notes !== undefined) parts.push('', command.notes);
  return `${parts.join('\n')}\n`;
}

/** Of the whole program, or of a group such as `errand lease`. */
export function overview(grammar: Grammar, group: readonly string[] = []): string {
  const shown = grammar.commands.filter(
    (command) => !command.hidden && group.every((word, index) => command.path[index] === word),
  );
  const title = group.length === 0 ? 'Run a command anywhere under one contract, and own everything it leaves behind.' : '';
  const lines = columns(group.length === 0 ? gathered(shown) : shown.map((command) => [nameAndArgs(command), command.summary]));
  const about = ['errand COMMAND --help tells more about one; errand --version tells which Errand this is.'];
  const head = [`errand ${[...group, 'COMMAND'].join(' ')} …`, ...(title === '' ? [] : ['', title])];
  return `${[...head, '', 'Commands:', ...lines, '', 'Everywhere:', ...optionLines(grammar.globalOptions), '', ...about].join('\n')}\n`;
}

/** A group that would fill the page is one line there. */
function gathered(shown: readonly CommandSpec[]): (readonly [string, string])[] {
  const big = (word: string | undefined) => shown.filter((command) => command.path[0] === word).length > 8;
  const rows = new Map<string, readonly [string, string]>();
  for (const command of shown) {
    const [word = ''] = command.path;
    if (!big(word)) rows.set(command.path.join(' '), [nameAndArgs(command), command.summary]);
    else if (!rows.has(word)) rows.set(word, [`${word} COMMAND …`, groupSummary(shown, word)]);
  }
  return [...rows.values()];
}

function groupSummary(shown: readonly CommandSpec[], word: string): string {
  const names = new Set(shown.filter((command) => command.path[0] === word).map((command) => command.path[1] ?? ''));
  return `${[...names].slice(0, 6).join(', ')} and more: errand ${word} --help`;
}

function nameAndArgs(command: CommandSpec): string {
  return [...command.path, ...command.args.map(argumentText), ...(command.argv ? ['-- ARGV…'] : [])].join(' ');
}

function argumentText({ name, optional, many }: ArgumentSpec): string {
  const text = many ? `${name}…` : name;
  return optional ? `[${text}]` : text;
}

function optionLines(options: readonly OptionSpec[]): string[] {
  return columns(
    options.map((option) => [
      `${option.short === undefined ? '' : `-${option.short}, `}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}${option.many ? ' …' : ''}`,
      option.summary,
    ]),
  );
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
