// Small records on disk. All calls are synchronous: they take microseconds, and a record must not be half-made when
// something else of this process runs.
import { closeSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { ErrandError } from '@errand/contract';

let count = 0;

/** Unique on this machine: no other living process has this pid, and the counter never repeats in this one. */
export function temporaryName(path: string): string {
  count += 1;
  return `${path}.tmp-${process.pid}-${Date.now().toString(36)}-${count}`;
}

/** Gives `existing` a second name; false when that name is taken. */
export function linkOnce(existing: string, path: string): boolean {
  try {
    linkSync(existing, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    // A file system without hard links, or a file with too many of them.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EMLINK' || code === 'ENOSYS') return createOnce(path);
    throw error;
  }
}

/** False when it was there already. Another process may see it empty for a moment. */
export function createOnce(path: string, content = ''): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    if (content !== '') writeSync(file, content);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return true;
}

/** Undefined when there is none, or when what is there is no JSON (a machine that lost power). */
export function readRecord(path: string): Readonly<Record<string, unknown>> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** A file system's refusal in our words. */
export function fileError(tried: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ErrandError('disk/full', `${tried}: the disk is full`, { next: 'Free some space and try again.', cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new ErrandError('home/unwritable', `${tried}: ${(error as Error).message}`, {
      next: 'Give this user write access to the data directory, or set ERRAND_HOME to another one.',
      cause: error,
    });
  }
  return error;
}
