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
 * A line of the public contract goes through a shell. Where it is one program, the shell makes way for it, so that the
 * program itself gets the signals and its exit is the job's.
 */
export function readLine(line: string): Command {
  const [first = ''] = line.split(' ', 1);
  return { script: simple.test(line) && !builtins.has(first) ? `exec ${line}` : line };
}
