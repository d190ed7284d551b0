/** A word for a POSIX shell, whatever is in it but NUL. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
