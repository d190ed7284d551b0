import { expect, test } from 'vitest';
import type { Config, Environment } from '../config/types.ts';
import { environmentOf, toSpec } from './request.ts';
import type { RunRequest } from './sdk.ts';

const ci: Environment = {
  name: 'ci',
  provider: 'local',
  options: {},
  resources: {},
  env: { CI: '1', TOKEN: 'plain' },
  secretEnv: { KEY: 'secret://env/KEY' },
  lease: { policy: 'fresh', ttl: 1000 },
  grace: 10_000,
  labels: { team: 'a' },
};
const spec = (request: RunRequest) => toSpec(request, ci, '/base');

test('what is nearer to the command wins, also over an entry of the other kind', () => {
  const { env, secretEnv } = spec({ command: ['x'], env: { KEY: 'v' }, secrets: { TOKEN: 'secret://env/T' } });
  expect(env).toEqual({ CI: '1', KEY: 'v' });
  expect(secretEnv).toEqual({ TOKEN: 'secret://env/T' });
});

test('paths are made absolute, so that another process finds the same ones', () => {
  const { workspace, out } = spec({ command: ['x'], workspace: 'src', collect: ['*'], out: 'dist' });
  expect({ workspace, out }).toEqual({ workspace: '/base/src', out: '/base/dist' });
});

test.each<[string, RunRequest]>([
  ['neither command nor script', {}],
  ['both', { command: ['x'], script: 'y' }],
  ['an empty command', { command: [] }],
  ['an empty program name', { command: ['', 'x'] }],
  ['NUL in an argument', { command: ['x', 'a\0b'] }],
  ['a bad variable name', { command: ['x'], env: { 'A=B': '1' } }],
  ['a name given twice', { command: ['x'], env: { A: '1' }, secrets: { A: 'secret://env/A' } }],
  ['collect without out', { command: ['x'], collect: ['*'] }],
  ['a timeout of nothing', { command: ['x'], timeout: '0s' }],
  ['a timeout without a unit', { command: ['x'], timeout: '10' }],
])('%s is refused with a next step', (_name, request) => {
  expect(() => spec(request)).toThrow(expect.objectContaining({ code: 'usage/invalid', next: expect.any(String) }));
});

test('an unknown environment names the close one', () => {
  const config: Config = { environments: new Map([['ci', ci]]), warnings: [] };
  expect(() => environmentOf(config, 'cii')).toThrow("did you mean 'ci'?");
});
