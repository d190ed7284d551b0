import type { Command } from '@errand/contract';

/** What others wrote, made safe to show: control characters could rewrite the reader's terminal. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, (char) => {
    const known: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };
    return known[char] ?? `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

/** A command as one would type it. */
export function commandText(command: Command): string {
  return visible('script' in command ? command.script : command.argv.map(quote).join(' '));
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  const chars = Array.from(text);
  return chars.length <= width ? text : `${chars.slice(0, Math.max(0, width - 1)).join('')}…`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Names in a row; a long row is cut, with how many are missing. */
export function listText(names: readonly string[], most = 20): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).map(visible).join(', ')}${more}`;
}
