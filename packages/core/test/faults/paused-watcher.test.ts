// SIGSTOP past the claim, a takeover, SIGCONT: the old watcher writes nothing that counts.
import { pauseWatcher } from '@errand/testkit';
import { expect, test } from 'vitest';

const providers = { fake: 'fake', local: { module: '@errand/provider-local', name: 'localProvider' } } as const;

test.each(Object.entries(providers))('on the provider %s', async (_name, provider) => {
  const { violations, epoch } = await pauseWatcher(provider);
  expect(violations, violations.join('\n')).toEqual([]);
  expect(epoch).toBeGreaterThan(1);
});
