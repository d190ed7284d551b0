import { join } from 'node:path';
import { createFakeInfra, driverConformance, fakeInfraProvider } from '@errand/testkit';
import { open } from './fake-infra.ts';

driverConformance('fake', {
  open,
  openCutOff: async (home) => {
    const fake = createFakeInfra({ directory: join(home, 'platform'), batches: true });
    fake.cut(true);
    return fakeInfraProvider(fake).open({ home, signal: new AbortController().signal });
  },
  program: new URL('fake-infra.ts', import.meta.url),
  samples: ['fake.many', 'fake.replacer', 'infra.compute', 'infra.database'].map((type) => ({
    type,
    config: (name) => ({ region: 'nyc3', label: name, nested: { list: [1, 'two', null, true] } }),
    changed: (name) => ({ region: 'nyc3', label: `${name} now`, nested: { list: [1, 'two'] } }),
    forced: (name) => ({ region: 'ams3', label: name, nested: { list: [1, 'two', null, true] } }),
    namesRepeat: type === 'fake.many',
    replaces: type === 'fake.replacer',
    ...(type === 'infra.database' ? { sensitive: ['password', 'uri'] } : {}),
  })),
  skips: { 'a config key that it does not know is refused, or can be seen to be unknown': 'the fake takes whatever comes' },
});
