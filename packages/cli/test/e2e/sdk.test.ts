import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { follow, lines, makePlace } from './errand.ts';

const example = join(import.meta.dirname, 'sdk-example.ts');

test('the published types are enough to use it, strictly and on their own', async () => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const flags = '--ignoreConfig --noEmit --module nodenext --target es2024 --lib es2024,esnext.disposable --types node --strict';
  const child = spawn(process.execPath, [tsc, ...flags.split(' '), example]);
  expect(await follow(child).ended).toMatchObject({ status: 0, out: '' });
});

test('the SDK of the built package: await using gives everything back', async () => {
  await using place = await makePlace();
  const child = spawn(process.execPath, [example], { cwd: place.directory, env: place.env });
  const ended = await follow(child).ended;
  expect(ended).toMatchObject({ status: 0, err: '' });
  const said = JSON.parse(ended.out) as { lease: string };
  expect(said).toMatchObject({ output: 'hello\n', code: 3, status: 'closed' });
  expect(lines((await place.errand('leases', '--all', '--json')).out)).toMatchObject([{ id: said.lease, status: 'released' }]);
  expect(lines((await place.errand('runs', '--label', 'from=sdk', '--json')).out)).toHaveLength(1);
});
