import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localProvider } from './index.ts';
import { onLinux } from './processes.ts';

const ask = { signal: new AbortController().signal, log: () => undefined };

test('an end by a signal that Node has no name for is not an exit', async ({ skip }) => {
  if (!onLinux) skip('the signal is read from /proc');
  const home = await mkdtemp(join(tmpdir(), 'errand-local-'));
  await using provider = await localProvider.open({ home, signal: ask.signal });
  const { host, runner } = provider;
  if (!host || !runner) throw new Error('a facet is missing');
  const call = (key: string) => ({ ...ask, key, epoch: 1, secret: async () => '' });
  const common = { owner: 'o', resources: {}, labels: {}, options: {} };
  const place = await host.acquire({ ...common, expiresAt: Date.now() + 60_000 }, call('p'));
  const run = async (key: string, script: string) => {
    const spec = { ...common, place, command: { script }, env: {}, secretEnv: {}, grace: 1_000 };
    return runner.wait({ key, handle: await runner.start(spec, call(key)) }, ask);
  };
  const cases: [string, object][] = [
    ['kill -35 $$', { kind: 'signalled', signal: 'SIG35' }],
    ['kill -64 $$; sleep 5', { kind: 'signalled', signal: 'SIG64' }],
    ['head -c 300000 /dev/zero; kill -40 $$', { kind: 'signalled', signal: 'SIG40' }],
    ['kill -TERM $$', { kind: 'signalled', signal: 'SIGTERM' }],
    ['exit 0', { kind: 'exited', code: 0 }],
    ['exit 163', { kind: 'exited', code: 163 }],
    // Stopped by a signal with nothing left to write to: the same field of the process names that signal then.
    ['exec >&- 2>&-; (sleep 0.1; kill -CONT $$) & kill -STOP $$; exit 0', { kind: 'exited', code: 0 }],
  ];
  for (const [i, [script, end]] of cases.entries()) {
    for (let again = 0; again < 3; again++) expect(await run(`j${i}.${again}`, script)).toMatchObject(end);
  }
  await host.release({ key: 'p' }, call('p'));
  await rm(home, { recursive: true });
});
