import type { Provider } from '@errand/contract';
import { expect, test } from 'vitest';
import { refusals } from './admit.ts';

/** A job cloud: it runs commands and has no places. */
const placeless = { capabilities: { resources: [], image: 'none' } } as unknown as Provider;
const demand = { environment: 'e', provider: 'cloud', options: {}, resources: {}, workspaceIn: false, workspaceOut: false };
const { signal } = new AbortController();

test('without places there is nothing to reuse, keep, warm or provision, and that is said before the start', async () => {
  expect(await refusals(placeless, demand, signal)).toEqual([]);
  expect(await refusals(placeless, { ...demand, standing: true }, signal)).toMatchObject([
    { severity: 'error', message: expect.stringContaining('cloud has no standing places'), hint: expect.any(String) },
  ]);
});
