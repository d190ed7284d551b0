import { expect, test } from 'vitest';
import { lines, makePlace } from './errand.ts';

test('a standing place: acquire, exec twice in the same directory, renew, release', async () => {
  await using place = await makePlace();
  const acquired = await place.errand('lease', 'acquire', 'local', '--ttl', '5m');
  expect(acquired.status).toBe(0);
  expect(acquired.out).toMatch(/^\S+\n$/);
  const id = acquired.out.trim();
  expect((await place.errand('lease', 'exec', id, '--script', 'echo kept > note; exit 6')).status).toBe(6);
  expect(await place.errand('lease', 'exec', id, '--', 'cat', 'note')).toMatchObject({ status: 0, out: 'kept\n' });
  expect(lines((await place.errand('leases', '--json')).out)).toMatchObject([{ id, status: 'idle', environment: 'local' }]);
  const renewed = JSON.parse((await place.errand('lease', 'renew', id, '--ttl', '1h', '--json')).out) as { expiresAt: string };
  expect(Date.parse(renewed.expiresAt)).toBeGreaterThan(Date.now() + 50 * 60_000);
  expect(await place.errand('lease', 'release', id)).toMatchObject({ status: 0, out: `lease ${id} is released\n` });
  expect(lines((await place.errand('leases', '--json')).out)).toEqual([]);
  expect((await place.errand('lease', 'exec', id, '--', 'true')).status).toBe(125);
  expect(await place.errand('sweep')).toMatchObject({ status: 0, out: '' });
});
