import type { Ending } from './child.ts';

export function sayEnding({ code, signal }: Ending): string {
  return signal === null ? `exit status ${code}` : `signal ${signal}`;
}

/** What the plugin said last on stderr, under the message. */
export function withLastLines(text: string, lines: readonly string[]): string {
  if (lines.length === 0) return `${text}; it wrote nothing to stderr`;
  return [`${text}; its last lines on stderr:`, ...lines.map((line) => `  ${line}`)].join('\n');
}
