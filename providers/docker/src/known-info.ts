// What an engine said of itself, kept for a short while: an engine starts programs to answer that, and each `errand` asks.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { field, number, record } from './answers.ts';
import type { EngineInfo } from './client.ts';

const lifetime = 5 * 60_000;
/** Goes up when EngineInfo changes. */
const form = 1;

export interface KnownInfo {
  get(address: string): EngineInfo | undefined;
  set(address: string, info: EngineInfo): void;
}

export function createKnownInfo(home: string): KnownInfo {
  const dir = join(home, 'info');
  const fileOf = (address: string) => join(dir, createHash('sha256').update(address).digest('hex').slice(0, 16));
  return {
    get(address) {
      try {
        const kept: unknown = JSON.parse(readFileSync(fileOf(address), 'utf8'));
        const age = Date.now() - number(field(kept, 'at'));
        const fits = field(kept, 'form') === form && field(kept, 'address') === address && age >= 0 && age < lifetime;
        return fits ? (record(field(kept, 'info')) as unknown as EngineInfo) : undefined;
      } catch {
        // None, or one that was being written when the machine lost power: the engine is asked.
        return undefined;
      }
    },
    set(address, info) {
      const tmp = join(dir, randomUUID());
      try {
        mkdirSync(dir, { recursive: true, mode: 0o700 });
        writeFileSync(tmp, JSON.stringify({ form, address, at: Date.now(), info }), { mode: 0o600 });
        renameSync(tmp, fileOf(address));
      } catch {
        // It only saves time.
      }
    },
  };
}
