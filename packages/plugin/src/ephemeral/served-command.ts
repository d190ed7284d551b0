import type { Command } from '@errand/contract';

/** Words of the shell itself: there is no program to put in its place, or another one than is meant. */
const builtins = new Set(
  `. : [ [[ alias bg break case cd command continue coproc echo eval exec exit export false fc fg for function getopts hash if
jobs kill local printf pwd read readonly return select set shift source test time times trap true type ulimit umask unalias
unset until wait while { ! (`.split(/\s+/),
);

/** One command without anything that only a shell understands: plain or single-quoted words. */
const simple = /^(?:(?:[A-Za-z0-9_@%+:,./-]|'[^']*'|\\')+(?: |$))+$/;

/**
 * A line of the public contract goes through a shell. One that is a single program needs none: the program itself then gets
 * the signals, and its exit is the job's.
 */
export function readLine(line: string): Command {
  const [first = ''] = line.split(' ', 1);
  return simple.test(line) && !builtins.has(first) ? { argv: wordsOf(line) } : { script: line };
}

/** What a shell makes of plain and single-quoted words. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, plain, quoted, escaped] of line.matchAll(/([A-Za-z0-9_@%+:,./-]+)|'([^']*)'|\\(')| /g)) {
    const part = plain ?? quoted ?? escaped;
    if (part !== undefined) word = (word ?? '') + part;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
