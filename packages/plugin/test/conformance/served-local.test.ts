// The promises of runners and hosts hold across a process boundary: same suites, same provider, a wire between.
import { localProvider } from '@errand/provider-local';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { throughWire } from '../served.ts';
import type { Transport } from '../served.ts';

// The runner suite once: how bytes travel is the library's affair, and the host suite sees to both ways.
for (const transport of ['unix', 'tcp'] satisfies Transport[]) {
  const open = async (home: string) =>
    throughWire(await localProvider.open({ home, signal: new AbortController().signal }), { transport });
  if (transport === 'unix') runnerConformance(`local, served over ${transport}`, { open });
  hostConformance(`local, served over ${transport}`, { open });
}
