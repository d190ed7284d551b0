// The promises of hosts hold across a wire: same suite, same provider.
import { localProvider } from '@errand/provider-local';
import { hostConformance } from '@errand/testkit';
import { throughWire } from '../served.ts';
import type { Transport } from '../served.ts';

// Runners: the local provider’s launched.test.ts runs their suite over the same wire, with a process boundary in between.
for (const transport of ['unix', 'tcp'] satisfies Transport[]) {
  const open = async (home: string) =>
    throughWire(await localProvider.open({ home, signal: new AbortController().signal }), { transport });
  hostConformance(`local, served over ${transport}`, { open });
}
