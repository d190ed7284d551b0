import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wire } from '@errand/testkit';
import { expect, test } from 'vitest';
import { dockerProvider } from '../../src/index.ts';
import { findBed } from '../bed.ts';
import { noOwnEngine, startOwnEngine } from './own-engine.ts';

const count = 24;
const script = `for i in $(seq ${count}); do echo line $i; sleep 0.25; done; exit 7`;

/** Runs the script and restarts the engine in the middle of it. */
async function acrossRestart(flags: readonly string[], signal: 'SIGTERM' | 'SIGKILL') {
  const home = await mkdtemp(join(tmpdir(), 'errand-restart-'));
  try {
    await using engine = await startOwnEngine(flags);
    const bed = await findBed(engine.address);
    if (typeof bed === 'string') throw new Error(bed);
    const options = { profile: 'permissive', network: 'none', engine: engine.address };
    const definition = dockerProvider;
    await using wired = await wire({ home, definition, recover: false, environment: { image: bed.image, options } });
    const job = await wired.runtime.run({ environment: 'here', script });
    let text = '';
    let restarted: Promise<void> | undefined;
    for await (const { bytes } of job.logs()) {
      text += Buffer.from(bytes).toString();
      if (text.includes('line 5\n')) restarted ??= engine.stop(signal).then(() => engine.start());
    }
    await restarted;
    return { run: await job.closed, lines: text.trim().split('\n'), leases: await wired.runtime.leases() };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const expected = Array.from({ length: count }, (_, index) => `line ${index + 1}`);

function needOwnEngine(skip: (reason: string) => void): void {
  const reason = noOwnEngine();
  if (reason === undefined) return;
  if (process.env['CI']) throw new Error(reason);
  skip(reason);
}

test.for(['SIGTERM', 'SIGKILL'] as const)(
  'an engine that keeps its containers is restarted (%s) in mid-run: every line once, the exact end',
  async (signal, { skip }) => {
    needOwnEngine(skip);
    const { run, lines, leases } = await acrossRestart(['--live-restore'], signal);
    expect(lines).toEqual(expected);
    expect(run.outcome).toMatchObject({ kind: 'exited', code: 7 });
    expect(leases).toEqual([]);
  },
);

test('an engine that ends its containers when it is restarted: the run ends as they did, and nothing is left', async ({
  skip,
}) => {
  needOwnEngine(skip);
  const { run, lines, leases } = await acrossRestart([], 'SIGTERM');
  expect(lines).toEqual(expected.slice(0, lines.length));
  expect(lines.length).toBeLessThan(count);
  expect(run.outcome).toMatchObject({ kind: 'exited', code: 143 });
  expect(leases).toEqual([]);
});
