// `errand infra` on the built program, with drivers that need nothing but this machine.
import { spawn, spawnSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { follow, lines, makePlace, program } from './errand.ts';
import type { Place } from './errand.ts';

const stack = (content: string, more = '') => `infra:
  providers: { here: { use: local } }
  resources:
    page: { type: local.file, provider: here, config: { path: out/page.txt, content: ${content} } }
    index: { type: local.file, provider: here, config: { path: out/index.txt, content: 'page \${page.sha256}' } }
    last: { type: local.file, provider: here, config: { path: out/last.txt, content: 'index \${index.sha256}' } }
${more}`;

const declare = (place: Place, text: string) => writeFile(join(place.directory, 'errand.yaml'), text);
const exists = (place: Place, path: string) =>
  stat(join(place.directory, path)).then(
    () => true,
    () => false,
  );

test('plan, apply, change, drift, destroy', async () => {
  await using place = await makePlace();
  await declare(place, stack('one', '  outputs: { page: { value: "${page.path}" } }'));
  const planned = await place.errand('infra', 'plan', '--detailed-exitcode');
  expect([planned.status, planned.err]).toEqual([2, '']);
  expect(planned.out).toContain('      content: (known after apply)\n');
  expect(await exists(place, 'out')).toBe(false);

  const applied = await place.errand('infra', 'apply', '--yes');
  expect([applied.status, applied.err]).toEqual([0, '']);
  expect(applied.out).toMatch(/page: creating…\npage: created in \d+\.\d s \[.+\]\nindex: creating…\nindex: created/);
  expect((await place.errand('infra', 'plan', '--detailed-exitcode')).status).toBe(0);

  await declare(place, stack('two', '  outputs: { page: { value: "${page.path}" } }'));
  const updated = await place.errand('infra', 'apply', '--yes', '--json');
  const documents = lines<Record<string, unknown>>(updated.out);
  expect(documents[0]).toMatchObject({
    plan: { actions: [{ kind: 'update', resource: 'page' }, { resource: 'index' }, { resource: 'last' }] },
  });
  expect(documents.at(-1)).toMatchObject({ result: { exitStatus: 0, interrupted: false } });
  expect(await readFile(join(place.directory, 'out/page.txt'), 'utf8')).toBe('two');
  // What follows from what was changed is changed in the same apply.
  expect((await place.errand('infra', 'plan', '--detailed-exitcode')).status).toBe(0);

  await writeFile(join(place.directory, 'out/page.txt'), 'by hand');
  const drifted = await place.errand('infra', 'drift');
  expect([drifted.status, drifted.out]).toEqual([2, expect.stringContaining('Drift: 1 of 3 resources.')]);
  expect((await place.errand('infra', 'apply', '--yes')).status).toBe(0);
  expect((await place.errand('infra', 'drift')).status).toBe(0);

  const destroyed = await place.errand('infra', 'destroy', '--yes');
  expect(destroyed.out).toMatch(/last: deleted in .*\n(?:.*\n)*index: deleted in .*\n(?:.*\n)*page: deleted in /);
  expect([await exists(place, 'out/page.txt'), await exists(place, 'out/index.txt')]).toEqual([false, false]);
  expect((await place.errand('infra', 'state', 'list', '--json')).out).toBe('');
});

test('a saved plan is refused when the state moved, and a file that is none at once', async () => {
  await using place = await makePlace();
  await declare(place, stack('one'));
  expect((await place.errand('infra', 'plan', '--out', 'p')).status).toBe(0);
  expect((await stat(join(place.directory, 'p'))).mode & 0o777).toBe(0o600);
  expect((await place.errand('infra', 'apply', 'p')).status).toBe(0);
  const again = await place.errand('infra', 'apply', 'p');
  expect([again.status, again.err]).toEqual([125, expect.stringContaining('serial')]);
  await writeFile(join(place.directory, 'p'), '{"format":1}');
  const broken = await place.errand('infra', 'apply', 'p', '--json');
  expect(broken.status).toBe(125);
  expect(lines(broken.out)).toMatchObject([{ error: { code: 'infra/invalid' } }]);
});

test('each environment has a state of its own', async () => {
  await using place = await makePlace();
  const overlay =
    '  environments: { prod: { resources: { page: { config: { path: out/prod.txt } }, index: null, last: null } } }';
  await declare(place, stack('one', overlay));
  expect((await place.errand('infra', 'apply', '--yes', '--env', 'prod')).status).toBe(0);
  expect([await exists(place, 'out/prod.txt'), await exists(place, 'out/page.txt')]).toEqual([true, false]);
  expect((await place.errand('infra', 'plan')).out).toContain('Plan: 3 to create');
  const unknown = await place.errand('infra', 'plan', '--env', 'prdo');
  expect([unknown.status, unknown.err]).toEqual([125, expect.stringContaining('prod')]);
});

test('what is secret is nowhere to be read', async () => {
  await using place = await makePlace({ PAGE_TEXT: 'correct-horse-battery' });
  const text = `infra:
  providers: { here: { use: local } }
  resources:
    page: { type: local.file, provider: here, config: { path: page.txt, content: 'secret://env/PAGE_TEXT' } }
`;
  await declare(place, text);
  const said: string[] = [];
  for (const line of ['plan', 'plan --json', 'apply --yes --json', 'state list --json', 'state pull', 'state show page']) {
    const { out, err, status } = await place.errand('infra', ...line.split(' '));
    said.push(out, err);
    expect([line, status]).toEqual([line, 0]);
  }
  expect(await readFile(join(place.directory, 'page.txt'), 'utf8')).toBe('correct-horse-battery');
  expect(said.join('\n')).not.toContain('correct-horse');
  const found = spawnSync('grep', ['-ra', 'correct-horse', place.home], { encoding: 'utf8' });
  expect([found.status, found.stdout]).toEqual([1, '']);
});

describe('bad input: diagnosed with its place, 125, nothing changed', () => {
  const resource = (config: string, more = '') => `{ type: local.file, provider: here, config: ${config}${more} }`;
  test.each([
    [
      'a cycle',
      `a: ${resource("{ path: a, content: '${b.path}' }")}\n    b: ${resource("{ path: b, content: '${a.path}' }")}`,
      'a → b → a',
    ],
    ['an unknown type', 'a: { type: local.fiel, provider: here, config: {} }', 'local.file'],
    ['an unknown key', `a: ${resource('{ path: a, content: x }', ', depend_on: [b]')}`, 'depends_on'],
    ['a bad reference', `a: ${resource("{ path: a, content: '${bb.path}' }")}`, 'bb'],
    ['an unknown provider', 'a: { type: local.file, provider: hree, config: { path: a, content: x } }', 'here'],
    ['the same name twice', `a: ${resource('{ path: a, content: x }')}\n    a: ${resource('{ path: b, content: x }')}`, 'a'],
  ])('%s', async (_what, resources, says) => {
    await using place = await makePlace();
    await declare(place, `infra:\n  providers: { here: { use: local } }\n  resources:\n    ${resources}\n`);
    const { status, out, err } = await place.errand('infra', 'apply', '--yes');
    expect(status).toBe(125);
    expect(out + err).toMatch(/errand\.yaml:[45]:\d+/);
    expect(out + err).toContain(says);
    expect([await exists(place, 'a'), await exists(place, 'b')]).toEqual([false, false]);
  });
});

describe('on a terminal', () => {
  /** What a person would see, typing `answer` at the question. */
  async function typed(place: Place, answer: string, args: readonly string[]) {
    const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: place.directory,
      env: { ...place.env, TERM: 'xterm', CI: '', NO_COLOR: '1' },
    });
    const started = follow(child);
    await started.says('taken as a yes:');
    child.stdin?.write(answer);
    return started.ended;
  }
  const missing = spawnSync('script', ['--version']).error ? 'there is no script(1) here to make a terminal' : undefined;

  test('the plan is shown and only yes applies it', async ({ skip }) => {
    if (missing !== undefined && process.env['CI']) throw new Error(missing);
    if (missing !== undefined) return skip(missing);
    await using place = await makePlace();
    await declare(place, stack('one'));
    const refused = await typed(place, 'y\n', ['infra', 'apply']);
    expect([refused.status, await exists(place, 'out/page.txt')]).toEqual([130, false]);
    expect(refused.out).toContain('nothing was changed');
    const left = await typed(place, '\u0003', ['infra', 'apply']);
    expect([left.status, await exists(place, 'out/page.txt')]).toEqual([130, false]);
    const applied = await typed(place, 'yes\n', ['infra', 'apply']);
    expect([applied.status, await exists(place, 'out/page.txt')]).toEqual([0, true]);
    expect(applied.out).toContain('of 3 steps done');
    expect(applied.out).toContain('Apply: 3 created');
  });
});
