// A client that is killed: starts the job of ERRAND_PLAN and prints its output.
import type { JobSpec } from '@errand/contract';
import { sshProvider } from '@errand/provider-ssh';

const { home, spec, key } = JSON.parse(process.env['ERRAND_PLAN'] ?? '') as { home: string; spec: JobSpec; key: string };
const ask = { signal: new AbortController().signal, log: () => undefined };
await using provider = await sshProvider.open({ home, signal: ask.signal });
const handle = await provider.runner?.start(spec, { ...ask, key, epoch: 1, secret: async () => '' });
for await (const chunk of provider.runner?.logs({ key, ...(handle ? { handle } : {}) }, undefined, ask) ?? []) {
  process.stdout.write(chunk.bytes);
}
