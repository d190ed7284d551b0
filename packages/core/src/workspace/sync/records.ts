// Lists on disk, one JSON value per line, and a last line that says how many there are: a file is whole or it is not there.
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ErrandError } from '@errand/contract';

/** Appears at once and survives a power cut, or does not appear. */
export async function writeRecords(path: string, records: Iterable<unknown>): Promise<void> {
  const part = `${path}.part`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    {
      await using file = await open(part, 'w', 0o600);
      let count = 0;
      let lines: string[] = [];
      const flush = async () => {
        await file.writeFile(lines.join(''));
        lines = [];
      };
      for (const record of records) {
        count += 1;
        lines.push(`${JSON.stringify(record)}\n`);
        if (lines.length === 5_000) await flush();
      }
      lines.push(`${JSON.stringify({ count })}\n`);
      await flush();
      await file.sync();
    }
    await rename(part, path);
    await using directory = await open(dirname(path), 'r');
    await directory.sync();
  } catch (error) {
    throw keepingFailed(path, error);
  }
}

/** Undefined when there is none, or not all of it. */
export async function readRecords(path: string): Promise<unknown[] | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length === 0) return undefined;
  try {
    const records = lines.map((line) => JSON.parse(line) as unknown);
    const last = records.pop() as { readonly count?: unknown };
    return last.count === records.length ? records : undefined;
  } catch {
    return undefined;
  }
}

/** Our own disk's trouble while something is kept in the data directory. */
export function keepingFailed(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof ErrandError) return error;
  const full = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  // What is wrong with the path itself will not get better by waiting for the disk.
  if (['ENAMETOOLONG', 'EEXIST', 'ENOTDIR', 'EISDIR', 'EINVAL'].includes(String(error.code))) {
    return new ErrandError('workspace/failed', `cannot keep ${path}: ${error.message}`, { cause: error });
  }
  return new ErrandError(
    full ? 'disk/full' : 'home/unwritable',
    `cannot keep ${path}: ${full ? 'the disk is full' : error.message}`,
    {
      next: full ? 'Free some space, or set ERRAND_HOME to a directory on another disk.' : 'Make the data directory writable.',
      cause: error,
    },
  );
}
