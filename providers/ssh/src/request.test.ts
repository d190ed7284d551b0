import { execFileSync } from 'node:child_process';
import type { JobSpec } from '@errand/contract';
import { array, assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { quote } from './quote.ts';
import { jobRequest, refuseUnrunnable } from './request.ts';

const spec = (change: Partial<JobSpec>): JobSpec => ({
  owner: 'o',
  command: { argv: ['true'] },
  env: {},
  secretEnv: {},
  resources: {},
  grace: 0,
  labels: {},
  options: {},
  ...change,
});

/** What the far side's shell makes of a request. */
function carriedOut(request: string): string {
  const [record = '', ...rest] = request.split('\n');
  expect(JSON.parse(record)).toMatchObject({ owner: 'o', key: 'k' });
  return execFileSync('sh', ['-c', 'set -u; lead() { exec "$@"; }; eval "$(cat)"'], { input: rest.join('\n'), encoding: 'utf8' });
}

test('any word survives a shell', () => {
  const words = array(string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1, maxLength: 8 });
  assert(
    property(words, (list) => {
      const clean = list.map((word) => word.replaceAll('\0', ''));
      const said = execFileSync('sh', ['-c', `for a in ${clean.map(quote).join(' ')}; do printf '%s\\0' "$a"; done`], {
        encoding: 'utf8',
      });
      expect(said.split('\0').slice(0, -1)).toEqual(clean);
    }),
    { numRuns: 50 },
  );
});

test('variables arrive, also those that no shell can export, and a secret wins over a variable of its name', () => {
  const env = { PLAIN: "it's\n$HOME", 'with.dot': 'a b', IFS: ':', TOKEN: 'no' };
  const request = jobRequest(spec({ command: { argv: ['env'] }, env, secretEnv: { TOKEN: 'x' } }), 'k', { TOKEN: 'hush "it"' });
  const said = carriedOut(request);
  expect(said).toContain("PLAIN=it's\n$HOME\n");
  expect(said).toContain('with.dot=a b\n');
  expect(said).toContain('TOKEN=hush "it"\n');
  expect(said).toContain('ERRAND_JOB=k\n');
});

test('secrets are no arguments of any program', () => {
  const request = jobRequest(spec({ env: { 'a.b': '1' } }), 'k', { TOKEN: 'hush' });
  expect(request.split('\n').filter((line) => line.includes('hush'))).toEqual(["export TOKEN='hush'"]);
});

test('what cannot be passed on unchanged is refused', () => {
  const refused = (change: Partial<JobSpec>) => () => refuseUnrunnable(spec(change));
  expect(refused({ command: { argv: ['a\0b'] } })).toThrow(/NUL/);
  expect(refused({ env: { A: '\0' } })).toThrow(/NUL/);
  expect(refused({ command: { argv: [] } })).toThrow(/names no program/);
  expect(refused({ secretEnv: { 'a.b': 'secret://env/A' } })).toThrow(/without showing it/);
  expect(refused({ secretEnv: { PPID: 'secret://env/A' } })).toThrow(/without showing it/);
  expect(refused({ env: { 'a=b': '' } })).toThrow(/no name/);
  expect(refused({ env: { 'a.b': '' }, secretEnv: { TOKEN: 'secret://env/A' } })).not.toThrow();
});
