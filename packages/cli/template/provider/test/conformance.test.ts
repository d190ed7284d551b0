// Every promise of the contract that this provider makes, as `errand provider test` runs them.
import { test } from 'node:test';
import { conformance } from 'errand/conformance';

for (const { suite, cases } of await conformance(new URL('..', import.meta.url))) {
  for (const { name, run } of cases) {
    await test(`${suite}: ${name}`, async (t) => {
      const reason = await run();
      if (reason !== undefined) t.skip(reason);
    });
  }
}
