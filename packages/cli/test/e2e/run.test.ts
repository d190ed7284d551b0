import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makePlace } from './errand.ts';

const node = process.execPath;
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('argv arrives unchanged', async () => {
  await using place = await makePlace();
  const argv = ['a b', '', '"\'`', '$HOME $(x) \\', 'one\ntwo', 'žluťoučký 🐎', '--json', '--', '-q', '*', 'x'.repeat(100_000)];
  const { out, err, status } = await place.errand(
    'run',
    '--',
    node,
    '-e',
    'console.log(JSON.stringify(process.argv.slice(1)))',
    '--',
    ...argv,
  );
  expect({ err, status }).toEqual({ err: '', status: 0 });
  expect(JSON.parse(out)).toEqual(argv);
});

test('output is passed on byte by byte, and the log holds the same bytes', async () => {
  await using place = await makePlace();
  const script = `const b = require('crypto').randomBytes(3_000_000);
    console.error(require('crypto').createHash('sha256').update(b).digest('hex')); process.stdout.write(b)`;
  const run = await place.errand('run', '--idempotency-key', 'k', '--', node, '-e', script);
  expect(sha(run.stdout)).toBe(run.err.trim());
  const [one] = (await place.errand('runs', '--json')).out
    .split('\n')
    .map((line) => JSON.parse(line || 'null') as { id: string } | null);
  const logs = await place.errand('logs', one?.id ?? '', '--stream', 'stdout');
  expect(sha(logs.stdout)).toBe(run.err.trim());
});

describe('the exit status', () => {
  const table: [string, string[], number, RegExp][] = [
    ['0', ['--', 'true'], 0, /^$/],
    ['the command’s own', ['--script', 'echo no >&2; exit 3'], 3, /^no\n$/],
    ['127 when there is no such program', ['--', 'no-such-program-anywhere'], 127, /no-such-program-anywhere/],
    ['128+n when it was ended by a signal', ['--script', 'kill -TERM $$'], 143, /ended by SIGTERM/],
    ['124 when it took too long', ['--timeout', '300ms', '--grace', '200ms', '--', 'sleep', '30'], 124, /timed out/],
    ['125 when Errand cannot run it', ['--on', 'nowhere', '--', 'true'], 125, /no environment 'nowhere'/],
  ];
  test.each(table)('%s', async (_name, args, status, message) => {
    await using place = await makePlace();
    const ended = await place.errand('run', ...args);
    expect(ended.status).toBe(status);
    expect(ended.err).toMatch(message);
  });

  test('126 when the program is not executable', async () => {
    await using place = await makePlace();
    const file = join(place.directory, 'plain.txt');
    await writeFile(file, 'no program');
    await chmod(file, 0o644);
    expect((await place.errand('run', '--', file)).status).toBe(126);
  });
});

test('--json: exactly one document, the output of the command on stderr', async () => {
  await using place = await makePlace();
  const ended = await place.errand('run', '--json', '--label', 'a=b', '--', 'sh', '-c', 'echo out; exit 4');
  expect(ended.status).toBe(4);
  expect(ended.err).toBe('out\n');
  expect(JSON.parse(ended.out)).toMatchObject({
    run: {
      status: 'closed',
      environment: 'local',
      provider: 'local',
      labels: { a: 'b' },
      command: { argv: ['sh', '-c', 'echo out; exit 4'] },
    },
    outcome: { kind: 'exited', code: 4 },
    exitStatus: 4,
  });
  const { run } = JSON.parse(ended.out) as { run: { id: string } };
  const shown = JSON.parse((await place.errand('show', run.id, '--json')).out) as { events: { type: string }[] };
  expect(shown).toMatchObject({ run: { id: run.id, spec: { environment: 'local' } }, lease: { status: 'released' } });
  expect(shown.events.length).toBeGreaterThan(3);
  expect((await place.errand('show', run.id.slice(0, -1))).out).toContain('exited 4');
  expect((await place.errand('runs')).out).toContain(run.id);
});

test('files go in and come back', async () => {
  await using place = await makePlace();
  await mkdir(join(place.directory, 'src'));
  await writeFile(join(place.directory, 'src/in.txt'), 'hello');
  const ended = await place.errand(
    'run',
    '--workspace',
    'src',
    '--collect',
    'out/**',
    '--out',
    'got',
    '--script',
    'mkdir out; tr a-z A-Z < in.txt > out/x.txt',
  );
  expect(ended).toMatchObject({ status: 0, err: '' });
  expect(await readFile(join(place.directory, 'got/out/x.txt'), 'utf8')).toBe('HELLO');
});

test('a secret reaches the command and nothing else', async () => {
  await using place = await makePlace({ MY_TOKEN: 'sesame-open-4711' });
  const ended = await place.errand(
    'run',
    '--secret',
    'TOKEN=secret://env/MY_TOKEN',
    '--script',
    'printf %s "$TOKEN" | wc -c; echo "$TOKEN"',
  );
  expect(ended.status).toBe(0);
  expect(ended.out).toMatch(/^\s*16\n\[redacted\]\n$/);
});
