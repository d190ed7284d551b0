// The promises of drivers hold across the public contract: with what ours adds to it, and without.
import { join } from 'node:path';
import type { Provider } from '@errand/contract';
import { createFakeInfra, driverConformance, fakeInfraProvider } from '@errand/testkit';
import type { DriverSample } from '@errand/testkit';
import { providerThroughIac } from '../iac.ts';
import type { FarSide } from '../iac.ts';

const samples = ['fake.many', 'fake.replacer', 'infra.database'].map((type): DriverSample => ({
  type,
  config: (name) => ({ region: 'nyc3', label: name, nested: { list: [1, 'two', null, true] } }),
  changed: (name) => ({ region: 'nyc3', label: `${name} now`, nested: { list: [1, 'two'] } }),
  forced: (name) => ({ region: 'ams3', label: name, nested: { list: [1, 'two', null, true] } }),
  namesRepeat: type === 'fake.many',
  ...(type === 'infra.database' ? { sensitive: ['password', 'uri'] } : {}),
}));

function opened(home: string, isCut: boolean): Promise<Provider> {
  const fake = createFakeInfra({ directory: join(home, 'platform'), batches: true });
  fake.cut(isCut);
  return fakeInfraProvider(fake).open({ home, signal: new AbortController().signal });
}

for (const far of ['ours', 'stranger'] satisfies FarSide[]) {
  driverConformance(`fake, over the public contract, far side: ${far}`, {
    open: async (home) => await providerThroughIac(await opened(home, false), far),
    openCutOff: async (home) => await providerThroughIac(await opened(home, true), far),
    samples: samples.map((sample) => ({ ...sample, replaces: far === 'ours' && sample.type === 'fake.replacer' })),
    skips: { 'a config key that it does not know is refused, or can be seen to be unknown': 'the fake takes whatever comes' },
  });
}
