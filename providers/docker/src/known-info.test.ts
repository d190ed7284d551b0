import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EngineInfo } from './client.ts';
import { createKnownInfo } from './known-info.ts';

const info: EngineInfo = {
  os: 'linux',
  cpus: 2,
  limitsMemory: true,
  limitsCpu: true,
  limitsPids: true,
  hasInit: true,
  logDrivers: ['local'],
  machine: 'x86_64',
};

test('what an engine said is kept for its address and a short while, and rubbish is nothing', () => {
  const home = mkdtempSync(join(tmpdir(), 'errand-info-'));
  try {
    const known = createKnownInfo(home);
    expect(known.get('unix:///a')).toBeUndefined();
    known.set('unix:///a', info);
    expect(createKnownInfo(home).get('unix:///a')).toEqual(info);
    expect(known.get('unix:///b')).toBeUndefined();
    const [name = ''] = readdirSync(join(home, 'info'));
    const file = join(home, 'info', name);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { readonly at: number };
    for (const at of [kept.at - 6 * 60_000, kept.at + 3_600_000]) {
      writeFileSync(file, JSON.stringify({ ...kept, at }));
      expect(known.get('unix:///a')).toBeUndefined();
    }
    writeFileSync(file, '{"at":');
    expect(known.get('unix:///a')).toBeUndefined();
  } finally {
    rmSync(home, { recursive: true });
  }
});
