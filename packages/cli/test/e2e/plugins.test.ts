// Providers that are programs: named in the config, pinned, and used like any other.
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePlugin } from '../../../plugin/test/bed.ts';
import { makePlace } from './errand.ts';
import type { Place } from './errand.ts';

const programs = join(import.meta.dirname, '../../../plugin/test/programs');
const local = join(import.meta.dirname, '../../../../providers/local/src/bin.ts');

const config = `providers:
  near: { plugin: ./plugins/near }
  jobs: { plugin: ./plugins/jobs, env: { PLUGIN_SECRET: { secret: secret://env/TOKEN } } }
  none: { plugin: ./plugins/none }
environments:
  near: { provider: near }
  jobs: { provider: jobs, env: { TOKEN: { secret: secret://env/TOKEN } } }
  none: { provider: none }
  typo: { provider: near, sandbx: strict }
`;

async function makeSite(): Promise<Place> {
  const place = await makePlace({ TOKEN: 'correct-horse-battery-staple' });
  const plugins = join(place.directory, 'plugins');
  await mkdir(plugins);
  await writePlugin(plugins, 'near', [process.execPath, local]);
  await writePlugin(plugins, 'jobs', [process.execPath, join(programs, 'public-jobs.ts')]);
  await writePlugin(plugins, 'none', [process.execPath, join(programs, 'no-jobs.ts')]);
  await writeFile(join(place.directory, 'errand.yaml'), config);
  return place;
}

test('a plugin is refused until it is locked, and again when it is another program', async () => {
  await using place = await makeSite();
  const early = await place.errand('run', '--on', 'near', '--', 'echo', 'hello');
  expect(early).toMatchObject({ status: 125, out: '' });
  expect(early.err).toContain('errand provider lock');
  const before = (await place.errand('provider', 'list', '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(before).toMatchObject([
    { name: 'local', kind: 'built-in' },
    { name: 'docker' },
    { name: 'ssh' },
    { name: 'agent' },
    { name: 'near', kind: 'plugin', version: '1.0.0', locked: false },
    { name: 'jobs', locked: false },
    { name: 'none', locked: false },
  ]);
  expect((await place.errand('env', 'list')).out).toMatch(/near +near .*not available/);
  expect((await place.errand('provider', 'lock', 'nera')).err).toContain("did you mean 'near'?");
  expect((await place.errand('provider', 'lock')).out.match(/ locked$/gm)).toHaveLength(3);
  expect((await place.errand('provider', 'lock', 'near')).out).toContain('was locked already');

  const ran = await place.errand('run', '--on', 'near', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3');
  expect(ran).toMatchObject({ status: 3, out: 'out\n', err: 'err\n' });
  const refused = await place.errand('run', '--on', 'typo', '--', 'true');
  expect(refused).toMatchObject({ status: 125 });
  expect(refused.err).toContain('sandbx');

  await appendFile(join(place.directory, 'plugins/near/near'), '# changed\n');
  expect((await place.errand('run', '--on', 'near', '--', 'true')).err).toContain('the lock says');
});

test('an environment on a plugin of the public contract: exit, output, secrets, cancel', async () => {
  await using place = await makeSite();
  await place.errand('provider', 'lock');
  const inspected = JSON.parse((await place.errand('provider', 'inspect', 'jobs', '--json')).out) as object;
  expect(inspected).toMatchObject({
    kind: 'plugin',
    facets: expect.arrayContaining(['runner']) as string[],
    services: ['workflow.plugin.external.iac.IaCProviderJobCanceler', 'workflow.plugin.external.iac.IaCProviderRunner'],
  });
  const script = 'echo "it is $TOKEN"; test "$TOKEN" = correct-horse-battery-staple; echo $? >&2; exit 4';
  expect(await place.errand('run', '--on', 'jobs', '--script', script)).toMatchObject({
    status: 4,
    out: 'it is [redacted]\n',
    err: '0\n',
  });

  const long = place.start('run', '--on', 'jobs', '--script', 'echo ready; sleep 60');
  await long.says('ready');
  const [run] = (await place.errand('runs', '--open', '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  expect(await place.errand('cancel', run?.id ?? '')).toMatchObject({ status: 0 });
  expect(await long.ended).toMatchObject({ status: 130, out: 'ready\n' });

  const none = await place.errand('run', '--on', 'none', '--', 'true');
  expect(none.status).toBe(125);
  expect(none.err).toContain('workflow.plugin.external.iac.IaCProviderRegionLister');
  expect((await place.errand('run', '--on', 'jobs', '--workspace', '.', '--', 'true')).err).toContain('cannot take a workspace');
});

test('a run whose watcher is killed is finished by the next one, by the stored handle', async () => {
  await using place = await makeSite();
  await place.errand('provider', 'lock');
  const first = place.start('run', '--on', 'jobs', '--script', 'echo one; sleep 3; echo two; exit 7');
  await first.says('one');
  first.child.kill('SIGKILL');
  await first.ended;
  const [run] = (await place.errand('runs', '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  expect((await place.errand('wait', run?.id ?? '')).status).toBe(7);
  expect((await place.errand('logs', run?.id ?? '')).out).toBe('one\ntwo\n');
});
