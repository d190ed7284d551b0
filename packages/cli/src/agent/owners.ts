// Whose places may be on this machine. A provider lists by owner, so an owner is written down before the first place of
// theirs is made; otherwise a restarted agent would not find what has expired.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Owners {
  remember(owner: string): void;
  /** When nothing of theirs is left, and nothing more can come. */
  forget(owner: string): void;
  all(): readonly string[];
}

export function openOwners(home: string): Owners {
  const dir = join(home, 'owners');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const known = new Set(
    readdirSync(dir)
      .filter((name) => !name.endsWith('.new'))
      .map((name) => readFileSync(join(dir, name), 'utf8')),
  );
  const fileOf = (owner: string) => join(dir, createHash('sha256').update(owner).digest('hex'));
  return {
    remember(owner) {
      if (known.has(owner)) return;
      const file = fileOf(owner);
      writeFileSync(`${file}.new`, owner, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      known.add(owner);
    },
    forget(owner) {
      rmSync(fileOf(owner), { force: true });
      known.delete(owner);
    },
    all: () => [...known],
  };
}
