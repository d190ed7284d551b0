// A provider that is a program, as an author's first one is, named under `infra.providers`.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { lines, makePlace } from './errand.ts';
import type { Place } from './errand.ts';

// A launcher begins with `env node`: it is the one that runs this test.
const path = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };

interface Wanted {
  readonly options?: string;
  readonly text?: string;
  readonly author?: string;
}

async function declare(place: Place, { options = '', text = 'one', author = 'ann' }: Wanted = {}): Promise<void> {
  const shelf = join(place.directory, 'shelf');
  await writeFile(
    join(place.directory, 'errand.yaml'),
    `providers:
  notes: { plugin: ./notes }
infra:
  providers:
    here: { use: local }
    shelf: { use: notes, directory: ${JSON.stringify(shelf)}${options} }
  resources:
    first: { type: notes.note, provider: shelf, config: { text: ${text}, author: ${author} } }
    second: { type: notes.note, provider: shelf, config: { text: 'after \${first.id}' } }
    copy: { type: local.file, provider: here, config: { path: out/copy.txt, content: '\${first.text}, \${second.text}' } }
`,
  );
}

async function note(place: Place, name: string): Promise<{ id: string; text: string; author: string }> {
  return JSON.parse(await readFile(join(place.directory, `shelf/${name}.json`), 'utf8')) as never;
}

test('a stack on a new provider: pinned, planned, applied, changed, replaced, healed, destroyed', async () => {
  await using place = await makePlace(path);
  await place.errand('provider', 'new', 'notes');
  await declare(place);
  const early = await place.errand('infra', 'apply', '--yes');
  expect(early.status).toBe(125);
  expect(early.err).toContain('errand provider lock');
  await place.errand('provider', 'lock');

  const saved = await place.errand('infra', 'plan', '--out', 'plan.json');
  expect(saved.status).toBe(0);
  const manifest = join(place.directory, 'notes/plugin.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace('"0.1.0"', '"0.2.0"'));
  const stale = await place.errand('infra', 'apply', '--yes', 'plan.json');
  expect(stale.status).toBe(125);
  expect(stale.err).toContain("the provider 'shelf' is notes 0.2.0, was notes 0.1.0");
  await writeFile(manifest, text);

  const applied = await place.errand('infra', 'apply', '--yes', 'plan.json');
  expect([applied.status, applied.err]).toEqual([0, '']);
  const first = await note(place, 'first');
  expect((await note(place, 'second')).text).toBe(`after ${first.id}`);
  expect(await readFile(join(place.directory, 'out/copy.txt'), 'utf8')).toBe(`one, after ${first.id}`);
  expect((await place.errand('infra', 'plan', '--detailed-exitcode')).status).toBe(0);

  await declare(place, { text: 'two', author: 'bob' });
  const changed = await place.errand('infra', 'apply', '--yes', '--json');
  expect(changed.status).toBe(0);
  const [{ plan } = { plan: undefined }] = lines<{ plan?: { actions: { kind: string; resource: string }[] } }>(changed.out);
  expect(plan?.actions).toMatchObject([
    { kind: 'replace', resource: 'first' },
    { kind: 'update', resource: 'second' },
    { kind: 'update', resource: 'copy' },
  ]);
  const replaced = await note(place, 'first');
  expect(replaced).toMatchObject({ text: 'two', author: 'bob' });
  expect(replaced.id).not.toBe(first.id);
  expect((await note(place, 'second')).text).toBe(`after ${replaced.id}`);

  await writeFile(join(place.directory, 'shelf/first.json'), JSON.stringify({ ...replaced, text: 'by hand' }));
  expect((await place.errand('infra', 'apply', '--yes')).status).toBe(0);
  expect((await note(place, 'first')).text).toBe('two');
  expect((await place.errand('infra', 'destroy', '--yes')).status).toBe(0);
  expect(await readdir(join(place.directory, 'shelf'))).toEqual([]);
});

test('what the plugin says against its entry is told with the line, and nothing is changed', async () => {
  await using place = await makePlace(path);
  await place.errand('provider', 'new', 'notes');
  await declare(place, { options: ', directori: x' });
  await place.errand('provider', 'lock');
  for (const command of [['plan'], ['apply', '--yes']]) {
    const refused = await place.errand('infra', ...command);
    expect(refused.status).toBe(125);
    expect(refused.err).toContain('errand.yaml:6:5');
    expect(refused.err).toContain('infra.providers.shelf');
    expect(refused.err).toContain('directori');
  }
  expect(await readdir(place.directory)).not.toContain('shelf');
  const strange = (await readFile(join(place.directory, 'errand.yaml'), 'utf8')).replace('use: notes', 'use: nots');
  await writeFile(join(place.directory, 'errand.yaml'), strange);
  expect((await place.errand('infra', 'plan')).err).toContain("did you mean 'notes'?");
});
