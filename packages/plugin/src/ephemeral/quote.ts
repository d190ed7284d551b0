/** Words that a shell takes for its own grammar when they stand first. */
const reserved = new Set(
  'if then else elif fi do done case esac while until for in time function select coproc ! { } [['.split(' '),
);

/** One line that a POSIX shell reads as exactly this argv; so does a plugin that splits words as a shell does. */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map((word, index) => (index === 0 && reserved.has(word) ? quote(word) : quoteWord(word))).join(' ');
}

function quoteWord(word: string): string {
  return /^[A-Za-z0-9_@%+:,./-]+$/.test(word) ? word : quote(word);
}

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
