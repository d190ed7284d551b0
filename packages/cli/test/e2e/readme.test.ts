// The README is a promise: every command in it is run here as a reader would run it, on the built program.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectPromised, matches, parseTranscript, runTranscript } from './transcript.ts';
import type { Outcome } from './transcript.ts';

const root = resolve(import.meta.dirname, '../../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
// The section about other places has a test of its own, which brings them up.
const steps = parseTranscript(
  readme.replace(/\n## The same elsewhere\n[^]*?(?=\n## )/, (section) => section.replaceAll(/[^\n]/g, '')),
);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'errand-readme-')));

function folder(name: string): string {
  const path = join(base, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** What a person's shell has, and nothing that would lead Errand to somebody's real data. */
function environment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^(ERRAND_|XDG_|CI_TOKEN$|npm_|NODE_|VITEST)/.test(name));
  return { ...Object.fromEntries(own), HOME: folder('home'), TMPDIR: folder('tmp'), NO_COLOR: '1' };
}

afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('the two commands', () => {
  const shown = [...readme.matchAll(/^```sh\n([^`]*)```$/gm)].flatMap((block) => (block[1] ?? '').trim().split('\n'));
  const [first = '', second = ''] = shown;

  test('are the ones that CI runs on a fresh clone', () => {
    const ci = readFileSync(join(root, '.ci/run'), 'utf8').split('\n');
    expect(ci).toEqual(expect.arrayContaining([...first.split(' && '), second]));
    expect(second).toBe('npm test');
  });

  test('the first one says hello', () => {
    const command = first.split(' && ')[1] ?? '';
    const env = { ...environment(), ERRAND_HOME: folder('first') };
    const stdout = execFileSync('/bin/sh', ['-c', command], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(stdout).toBe('hello from errand\n');
  });
});

describe('the tour', () => {
  let outcomes: readonly Outcome[] = [];

  beforeAll(async () => {
    outcomes = await runTranscript(steps, { cwd: root, env: environment(), scratch: folder('scratch'), limit: 150_000 });
  });

  test('has commands', () => {
    expect(steps.filter((step) => step.file === undefined).length).toBeGreaterThan(40);
  });

  test.each(steps.map((step, index) => [step.line, step.file ?? step.text.split('\n')[0] ?? '', index] as const))(
    'README.md:%i %s',
    (_line, _text, index) => {
      const step = steps[index];
      const outcome = outcomes[index];
      if (!step || !outcome) throw new Error('the step was not run');
      expectPromised(step, outcome);
    },
  );
});

test('the SDK example has the right types', () => {
  const example = steps.find((step) => step.file?.endsWith('.ts'));
  const project = folder('project');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  symlinkSync(join(root, 'packages/cli'), join(project, 'node_modules/errand'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, example?.file ?? ''), example?.text ?? '');
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
    include: ['*.ts'],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  let said = '';
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project, '--pretty', 'false'], {
      cwd: project,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    said = (error as { stdout?: string }).stdout ?? String(error);
  }
  // What stands in the packages themselves is checked by `npm run types`.
  expect(said.split('\n').filter((line) => line.startsWith(example?.file ?? ''))).toEqual([]);
});

describe('running a document', () => {
  const document = ['```console', '$ A=one', '$ echo $A', 'one', '$ (exit 3)', '$ echo $?', '3', '$ false', '```', ''].join('\n');

  test('notices a wrong line, a missing line and an extra one', () => {
    expect(matches(['a…c', '…', 'z'], 'abc\nx\ny\nz\n')).toBe(true);
    expect(matches(['…', 'z'], 'z\n')).toBe(true);
    expect(matches(['a'], 'b\n')).toBe(false);
    expect(matches(['a', 'b'], 'a\n')).toBe(false);
    expect(matches(['a'], 'a\nb\n')).toBe(false);
    expect(matches([], 'a\n')).toBe(false);
  });

  test('keeps variables and the last status, and notices a failure that nobody asked about', async () => {
    const parsed = parseTranscript(document);
    const seen = await runTranscript(parsed, { cwd: base, env: environment(), scratch: folder('self'), limit: 10_000 });
    expect(seen.map((one) => one.status)).toEqual([0, 0, 3, 0, 1]);
    expect(seen.map((one) => one.output)).toEqual(['', 'one\n', '', '3\n', '']);
    expect(parsed.map((one) => one.mayFail)).toEqual([false, false, true, false, false]);
  });
});
