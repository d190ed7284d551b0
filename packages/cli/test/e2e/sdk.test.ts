import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { follow, lines, makePlace } from './errand.ts';

test('the SDK of the built package: await using gives everything back', async () => {
  await using place = await makePlace();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sdk-example.ts')], { cwd: place.directory, env: place.env });
  const ended = await follow(child).ended;
  expect(ended).toMatchObject({ status: 0, err: '' });
  const said = JSON.parse(ended.out) as { lease: string };
  expect(said).toMatchObject({ output: 'hello\n', code: 3, status: 'closed' });
  expect(lines((await place.errand('leases', '--all', '--json')).out)).toMatchObject([{ id: said.lease, status: 'released' }]);
  expect(lines((await place.errand('runs', '--label', 'from=sdk', '--json')).out)).toHaveLength(1);
});
