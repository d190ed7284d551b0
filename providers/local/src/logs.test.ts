import { linkSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogChunk } from '@errand/contract';
import { localProvider } from './index.ts';

const ask = { signal: new AbortController().signal, log: () => undefined };

test('every chunk says where it lies, and a link to that file is left alone when the place is used again', async () => {
  const home = await mkdtemp(join(tmpdir(), 'errand-local-'));
  await using provider = await localProvider.open({ home, signal: ask.signal });
  const { host, runner } = provider;
  if (!host || !runner) throw new Error('a facet is missing');
  const call = (key: string) => ({ ...ask, key, epoch: 1, secret: async () => '' });
  const common = { owner: 'o', resources: {}, labels: {}, options: {} };
  const link = join(home, 'link');

  async function round(key: string, script: string, look: (chunks: readonly LogChunk[]) => void): Promise<void> {
    const place = await host!.acquire({ ...common, expiresAt: Date.now() + 60_000 }, call(key));
    const spec = { ...common, place, command: { script }, env: {}, secretEnv: {}, grace: 1_000 };
    const handle = await runner!.start(spec, call(key));
    const chunks: LogChunk[] = [];
    for await (const chunk of runner!.logs({ key, handle }, undefined, ask)) chunks.push(chunk);
    look(chunks);
    await host!.release({ key }, call(key));
  }

  let out = Buffer.alloc(0);
  await round('a', 'echo first; sleep 0.1; seq 20000; echo problem >&2', (chunks) => {
    for (const { bytes, local } of chunks) {
      const { path = '', offset = 0 } = local ?? {};
      expect(
        readFileSync(path)
          .subarray(offset, offset + bytes.length)
          .equals(bytes),
      ).toBe(true);
    }
    const ofOut = chunks.filter((chunk) => chunk.stream === 'stdout');
    out = Buffer.concat(ofOut.map((chunk) => chunk.bytes));
    expect(out.length).toBeGreaterThan(100_000);
    expect(chunks.some((chunk) => chunk.stream === 'stderr')).toBe(true);
    linkSync(ofOut[0]?.local?.path ?? '', link);
  });
  expect(readFileSync(link).equals(out)).toBe(true);
  await round('b', 'echo other', (chunks) => {
    expect(chunks.map((chunk) => Buffer.from(chunk.bytes).toString()).join('')).toBe('other\n');
  });
  expect(readFileSync(link).equals(out)).toBe(true);
  await rm(home, { recursive: true });
});
