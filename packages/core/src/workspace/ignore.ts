// Ignore files with git's rules: the last matching pattern decides, a deeper file beats a higher one, and nothing
// below an ignored directory can be taken back.
import { bytesOf, globSource } from './glob.ts';

interface Rule {
  readonly negated: boolean;
  readonly directoryOnly: boolean;
  /** Without a slash, a pattern is about the last part of a path at any depth. */
  readonly nameOnly: boolean;
  readonly test: RegExp;
}

/** The rules of one ignore file. */
export interface IgnoreFile {
  /** Directory of the file, relative to the workspace; '' for its root. */
  readonly base: string;
  readonly rules: readonly Rule[];
}

export function parseIgnore(text: string, base: string): IgnoreFile {
  const lines = text.replace(/^\u{FEFF}/u, '').split('\n');
  const rules = lines.flatMap((line) => {
    const rule = parseRule(bytesOf(line.replace(/\r$/, '')));
    return rule ? [rule] : [];
  });
  return { base, rules };
}

/** Whether `path` itself is ignored. Its parents must have been asked before. `files` go from the root downwards. */
export function isIgnored(files: readonly IgnoreFile[], path: string, isDirectory: boolean): boolean {
  for (let i = files.length - 1; i >= 0; i--) {
    const file = files[i];
    if (!file || file.rules.length === 0) continue;
    const below = bytesOf(file.base === '' ? path : path.slice(file.base.length + 1));
    const name = below.slice(below.lastIndexOf('/') + 1);
    for (let j = file.rules.length - 1; j >= 0; j--) {
      const rule = file.rules[j];
      if (!rule || (rule.directoryOnly && !isDirectory)) continue;
      if (rule.test.test(rule.nameOnly ? name : below)) return !rule.negated;
    }
  }
  return false;
}

function parseRule(line: string): Rule | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  let glob = trimEnd(line);
  const negated = glob.startsWith('!');
  if (negated) glob = glob.slice(1);
  const directoryOnly = glob.endsWith('/');
  if (directoryOnly) glob = glob.slice(0, -1);
  if (glob === '') return undefined;
  const nameOnly = !glob.includes('/');
  if (!nameOnly && glob.startsWith('/')) glob = glob.slice(1);
  const source = nameOnly ? globSource(glob, 'name') : pathSource(glob);
  return source === undefined ? undefined : { negated, directoryOnly, nameOnly, test: new RegExp(`^(?:${source})$`) };
}

/** Git compares what stands before the first special character by itself, so `a/b**` begins anew with its stars. */
function pathSource(glob: string): string | undefined {
  const plain = /^[^*?[\\]*/.exec(glob)?.[0] ?? '';
  const rest = globSource(glob.slice(plain.length), 'path');
  return rest === undefined ? undefined : `${globSource(plain, 'path')}${rest}`;
}

/** Spaces at the end do not count unless a backslash stands before the first of them. */
function trimEnd(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === ' ') continue;
    end = at + 1;
  }
  return line.slice(0, Math.min(end, line.length));
}
