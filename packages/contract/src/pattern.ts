import { matchesGlob } from 'node:path';
import { safePath } from './tree.ts';

/**
 * Which paths the patterns of a collect mean. They match whole paths: `*` stays inside a directory, `**` does not, and
 * names with a leading dot need one in the pattern. A pattern without wildcards that names a directory takes everything
 * below it, whatever it is called; so `.` is all that is in the workspace.
 */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const named = patterns.filter((pattern) => pattern !== '.' && pattern !== './');
  const wanted = named.map((pattern) => safePath(pattern.replace(/^\.\//, '').replace(/\/+$/, '')));
  if (named.length < patterns.length) return () => true;
  return (path) => wanted.some((one) => path === one || path.startsWith(`${one}/`) || matchesGlob(path, one));
}
