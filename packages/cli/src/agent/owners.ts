// Whose places may be on this machine. A provider lists by owner, so an owner is written down before the first place of
// theirs is made; otherwise a restarted agent would not find what has expired.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Owners {
  remember(owner: string): void;
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
  return {
    remember(owner) {
      if (known.has(owner)) return;
      const file = join(dir, createHash('sha256').update(owner).digest('hex'));
      writeFileSync(`${file}.new`, owner, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      known.add(owner);
    },
    all: () => [...known],
  };
}
