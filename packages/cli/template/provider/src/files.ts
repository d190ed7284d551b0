// The platform: a directory with one file for each note. Every change is a whole file that is moved into place, so a process
// that dies at any point leaves the note as it was or as it should be.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrandError } from 'errand/provider';
import type { Note, Notes } from './client.ts';

export function openFiles(directory: string): Notes {
  const fileOf = (name: string) => join(directory, `${encodeURIComponent(name)}.json`);

  async function aside(note: Note, move: (fresh: string) => Promise<void>): Promise<void> {
    const fresh = join(directory, `.${randomUUID()}`);
    try {
      await mkdir(directory, { recursive: true });
      await writeFile(fresh, JSON.stringify(note));
      await move(fresh);
    } catch (error) {
      throw failed(`write the note ${JSON.stringify(note.name)} below ${directory}`, error);
    } finally {
      await rm(fresh, { force: true });
    }
  }

  return {
    async find(name) {
      try {
        return JSON.parse(await readFile(fileOf(name), 'utf8')) as Note;
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw failed(`read the note ${JSON.stringify(name)} below ${directory}`, error);
      }
    },
    async add(note) {
      let isNew = true;
      await aside(note, async (fresh) => {
        await link(fresh, fileOf(note.name)).catch((error: unknown) => {
          if (codeOf(error) !== 'EEXIST') throw error;
          isNew = false;
        });
      });
      return isNew;
    },
    put: (note) => aside(note, (fresh) => rename(fresh, fileOf(note.name))),
    async remove(name) {
      await rm(fileOf(name), { force: true });
    },
  };
}

function failed(what: string, error: unknown): ErrandError {
  const code = codeOf(error) === 'EACCES' ? 'provider/auth' : 'provider/failed';
  return new ErrandError(code, `tried to ${what}: ${error instanceof Error ? error.message : String(error)}`, {
    next: 'Make the directory writable, or name another one in the provider’s config.',
    cause: error,
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
