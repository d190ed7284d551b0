import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineProvider, isErrandError, type Diagnostic, type ProviderDefinition } from '@errand/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { formatDiagnostics } from './diagnose.ts';
import { loadConfig } from './load.ts';
import { starterConfig } from './starter.ts';
import type { Config, Environment } from './types.ts';

const provider = (name: string, options: z.ZodType): ProviderDefinition =>
  defineProvider({
    name,
    version: '1',
    summary: name,
    options: () => Promise.resolve(options),
    open: () => Promise.reject(new Error('not opened here')),
  });

const providers = new Map([
  ['local', provider('local', z.strictObject({ sandbox: z.enum(['off', 'strict']).default('off') }))],
  ['cloud', provider('cloud', z.object({ region: z.string(), size: z.object({ disk: z.number().optional() }).optional() }))],
]);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'errand-config-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function load(text: string | Uint8Array, env: Record<string, string> = {}): Promise<Config> {
  await writeFile(join(directory, 'errand.yaml'), text);
  return loadConfig({ cwd: directory, env, providers });
}

async function problems(text: string | Uint8Array, env: Record<string, string> = {}): Promise<readonly Diagnostic[]> {
  const error: unknown = await load(text, env).catch((caught: unknown) => caught);
  if (!isErrandError(error, 'config/invalid')) throw new Error(`expected config/invalid, got ${String(error)}`);
  return error.diagnostics;
}

/** `line:column: message (hint)`, what a person would look at. */
async function told(text: string, env: Record<string, string> = {}): Promise<string[]> {
  return (await problems(text, env)).map(
    (one) => `${one.line}:${one.column}: ${one.message}${one.hint === undefined ? '' : ` (${one.hint})`}`,
  );
}

async function environment(text: string, name: string, env: Record<string, string> = {}): Promise<Environment> {
  const found = (await load(text, env)).environments.get(name);
  if (!found) throw new Error(`no environment ${name}`);
  return found;
}

describe('places that outlive a run', () => {
  test('policy, ready places and provisioning', async () => {
    const text = `environments:
  box:
    provider: local
    lease: { policy: reuse, ttl: 1h }
    warm: 2
    provision:
      - npm install -g pnpm
      - [sleep, 0.10, true]
  child: { extends: box, warm: 0, provision: [] }
  kept: { provider: local, lease: { policy: keep-on-failure } }
`;
    expect(await environment(text, 'box')).toMatchObject({
      lease: { policy: 'reuse', ttl: 3_600_000 },
      warm: 2,
      provision: [{ script: 'npm install -g pnpm' }, { argv: ['sleep', '0.10', 'true'] }],
    });
    const child = await environment(text, 'child');
    expect([child.warm, child.provision, child.lease.policy]).toEqual([undefined, undefined, 'reuse']);
    expect((await environment(text, 'kept')).lease.policy).toBe('keep-on-failure');
  });

  test('what cannot be meant is told', async () => {
    const text = `environments:
  box: { provider: local, lease: { policy: reus }, warm: -1, provision: [[], "", { run: x }] }
  two: { provider: local, warm: 1000, provision: npm ci }
`;
    expect(await told(text)).toEqual([
      "2:44: lease.policy: expected 'fresh' or 'reuse' or 'keep-on-failure' (did you mean 'reuse'?)",
      expect.stringContaining('2:58: warm: '),
      '2:74: provision.0: the command is empty',
      '2:78: provision.1: the command is empty',
      '2:82: provision.2: expected text for sh, or a list of the program and its arguments',
      '3:33: warm: at most 100 places can be kept ready',
      '3:50: provision: expected a list, got text',
    ]);
  });
});

describe('what a file says', () => {
  test('the example of the manual', async () => {
    const text = `environments:
  ci:     { provider: local, lease: { policy: fresh, ttl: 30m }, env: { CI: "1", TOKEN: { secret: secret://env/CI_TOKEN } } }
  ci-big: { extends: ci, resources: { memory: 4Gi }, timeout: 20m }
`;
    const config = await load(text);
    expect([...config.environments.keys()]).toEqual(['ci', 'ci-big', 'local']);
    expect(config.environments.get('ci-big')).toEqual({
      name: 'ci-big',
      provider: 'local',
      options: { sandbox: 'off' },
      resources: { memory: 4 * 1024 ** 3 },
      env: { CI: '1' },
      secretEnv: { TOKEN: 'secret://env/CI_TOKEN' },
      lease: { policy: 'fresh', ttl: 30 * 60_000 },
      timeout: 20 * 60_000,
      grace: 10_000,
      labels: {},
    });
  });

  test('defaults, and local when the file does not define it', async () => {
    const config = await load('environments:\n  a: { provider: local }\n');
    expect(config.environments.get('a')).toMatchObject({ lease: { policy: 'fresh', ttl: 86_400_000 }, grace: 10_000 });
    expect(config.environments.get('local')?.provider).toBe('local');
    expect(config.file).toBe(join(directory, 'errand.yaml'));
  });

  test.each(['', '# nothing\n', '---\n', 'environments:\n', '\u{FEFF}environments:\n'])(
    'an empty file is fine: %j',
    async (text) => {
      expect([...(await load(text)).environments.keys()]).toEqual(['local']);
    },
  );

  test('variables and labels are text, as written', async () => {
    const text = 'environments:\n  a: { provider: local, env: { V: 1.10, H: 0x1F, B: true }, labels: { n: 007 } }\n';
    expect(await environment(text, 'a')).toMatchObject({ env: { V: '1.10', H: '0x1F', B: 'true' }, labels: { n: '007' } });
  });

  test('top-level keys', async () => {
    const config = await load('store: postgres://u@h/d\nsecrets: { directory: ./s }\n');
    expect(config).toMatchObject({ store: 'postgres://u@h/d', secretDirectory: join(directory, 's') });
    const other = await load('secrets: { directory: ~/s }\n', { HOME: '/home/x' });
    expect(other.secretDirectory).toBe('/home/x/s');
  });

  test('the starter loads without problems', async () => {
    const config = await load(starterConfig);
    expect(config.warnings).toEqual([]);
    expect(config.environments.get('ci-long')).toMatchObject({ timeout: 5_400_000, env: { CI: '1', LOG_LEVEL: 'info' } });
    const all = starterConfig.replaceAll(/^( *)# (\w[\w ]*:( |$).*)$/gm, '$1$2');
    expect(all).not.toBe(starterConfig);
    expect([...(await load(all)).environments.keys()]).toContain('ci');
  });
});

describe('extends', () => {
  test('maps merge deeply, the child wins, an empty value takes away', async () => {
    const text = `environments:
  a: { provider: cloud, region: x, size: { disk: 1 }, timeout: 1m, env: { A: a, B: b, S: { secret: secret://env/S } }, labels: { l: "1" } }
  b: { extends: a, env: { B: c, C: d, S: }, timeout: , labels: }
  c: { extends: b, size: { disk: 2 }, env: { A: { secret: secret://env/A } } }
`;
    const b = await environment(text, 'b');
    expect(b).toMatchObject({
      options: { region: 'x', size: { disk: 1 } },
      env: { A: 'a', B: 'c', C: 'd' },
      secretEnv: {},
      labels: { l: '1' },
    });
    expect(b.timeout).toBeUndefined();
    const c = await environment(text, 'c');
    expect(c).toMatchObject({
      options: { region: 'x', size: { disk: 2 } },
      env: { B: 'c', C: 'd' },
      secretEnv: { A: 'secret://env/A' },
    });
  });

  test('another provider drops the options of the first, and local can always be extended', async () => {
    const text = `environments:
  a: { provider: cloud, region: x, env: { A: a } }
  b: { extends: a, provider: local }
  c: { extends: local, timeout: 1s }
`;
    expect(await environment(text, 'b')).toMatchObject({ provider: 'local', options: { sandbox: 'off' }, env: { A: 'a' } });
    expect(await environment(text, 'c')).toMatchObject({ provider: 'local', timeout: 1000 });
  });

  test('unknown parents and circles', async () => {
    const text = `environments:
  ci-big: { extends: ci-bog, provider: local }
  a: { extends: b }
  b: { extends: c }
  c: { extends: a }
  d: { extends: a, timeout: 1x }
  e: { extends: e }
  ci-bug: { extends: [a] }
`;
    expect(await told(text)).toEqual([
      "2:22: extends: there is no environment 'ci-bog' (did you mean 'ci-bug'?)",
      '5:17: extends: the environments extend each other in a circle: a → b → c → a',
      '6:29: timeout: not a duration: a unit is unknown (Write a number and a unit (ms, s, m, h, d), for instance 90s, 20m or 1h30m.)',
      '7:17: extends: the environments extend each other in a circle: e → e',
      '8:22: extends: expected the name of one environment, as text',
    ]);
  });

  test('a problem in a parent is told once', async () => {
    const text = 'environments:\n  a: { provider: local, timeout: never }\n  b: { extends: a }\n  c: { extends: b }\n';
    expect(await problems(text)).toHaveLength(1);
  });
});

describe('variables', () => {
  test('are replaced anywhere, once, with defaults and an escape', async () => {
    const text =
      'environments:\n  a: { provider: "${env:P}", timeout: "${env:T:-5m}", resources: { cpu: "${env:N}" }, env: { A: "x${env:V}y${env:E:-z}", B: "$${env:V} ${HOME}" } }\n';
    expect(await environment(text, 'a', { P: 'local', V: '${env:P}', N: '2', E: '' })).toMatchObject({
      timeout: 300_000,
      resources: { cpu: 2 },
      env: { A: 'x${env:P}yz', B: '${env:V} ${HOME}' },
    });
  });

  test('unset and malformed ones are told, and values never are', async () => {
    const text =
      'environments:\n  a:\n    provider: local\n    env: { A: "${env:TOKNE}", B: "${env:}" }\n    timeout: ${env:TOKEN}\n    image: ${env:constructor}\n';
    const found = await told(text, { TOKEN: 'hunter2' });
    expect(found).toEqual([
      "4:15: the environment variable TOKNE is not set (Set it, or write ${env:TOKNE:-default}; did you mean 'TOKEN'?)",
      '4:34: `${env:` is not followed by a variable name and `}` (Write ${env:NAME} or ${env:NAME:-default}; $${env: stands for the text itself.)',
      expect.stringContaining('5:14: timeout: not a duration'),
      expect.stringContaining('6:12: the environment variable constructor is not set'),
      expect.stringContaining('6:12: image: '),
    ]);
    expect(found.join()).not.toContain('hunter2');
  });
});

describe('problems', () => {
  test('all at once, each at its place', async () => {
    const text = `enviroments: {}
store: mysql://user:pw@host
secrets: { dir: x }
environments:
  Bad Name: { provider: local }
  a:
    provider: locl
  b:
    provider: local
    timout: 5m
    sandbx: strict
    sandbox: strickt
    timeout: 20
    grace: 5 parsecs
    pending_timeout: 0s
    resources: { memory: 4gi, cpu: -1, gpu: 1 }
    lease: { policy: warm, ttl: [1] }
    env: { 1A: x, T: { secret: vault/x }, U: { secret: "secret://vault/x" }, N: , L: [1], M: { secrt: secret://env/X } }
    labels: { "": x }
  c: text
  d: { provider: cloud, regoin: x, size: { disk: big } }
  e: { timeout: 5m }
  f: { provider: local, <<: { timeout: 5m } }
`;
    expect(await told(text)).toEqual([
      "1:1: unknown key 'enviroments' (did you mean 'environments'?)",
      '2:8: store: expected sqlite or a postgres:// URL',
      "3:12: unknown key 'secrets.dir' (did you mean 'directory'?)",
      "5:3: 'Bad Name' cannot be the name of an environment (Use up to 63 of a-z, 0-9, and . _ - after the first.)",
      "7:15: provider: there is no provider 'locl' (did you mean 'local'?)",
      "10:5: unknown key 'timout' (did you mean 'timeout'?)",
      "11:5: unknown key 'sandbx' (did you mean 'sandbox'?)",
      "12:14: sandbox: expected 'off' or 'strict' (did you mean 'strict'?)",
      '13:14: timeout: expected text, got a number (If it is text, put it into quotes; a duration needs a unit, as in 20m.)',
      expect.stringContaining('14:12: grace: not a duration: '),
      expect.stringContaining('15:22: pending_timeout: not a duration: it must be more than 0'),
      expect.stringContaining('16:26: resources.memory: not a size: the unit is written Gi'),
      expect.stringContaining('16:36: resources.cpu: '),
      "16:40: unknown key 'resources.gpu' (did you mean 'cpu'?)",
      "17:22: lease.policy: expected 'fresh' or 'reuse' or 'keep-on-failure'",
      '17:33: lease.ttl: expected text, got a list',
      '18:12: env.1A: not a name for an environment variable: use letters, digits and _',
      '18:32: env.T.secret: not a secret reference: it does not have the form secret://store/path (Write secret://env/NAME or secret://file/path.)',
      expect.stringContaining('18:56: env.U.secret: not a secret reference: there is no such secret store'),
      '18:78: env.N: there is no value (Write one, "" for empty text, or remove the key.)',
      '18:86: env.L: expected text, a number, true, false or { secret: secret://store/path }',
      expect.stringContaining('18:94: env.M.secret: this key is required'),
      expect.stringContaining("18:96: unknown key 'env.M.secrt'"),
      expect.stringContaining('19:15: labels.: not a name for a label'),
      expect.stringContaining("20:6: the environment 'c' is not a map of keys"),
      expect.stringContaining('21:3: region: this key is required'),
      "21:25: unknown key 'regoin' (did you mean 'region'?)",
      '21:50: size.disk: expected a number, got text',
      '22:3: provider: this key is required',
      "23:25: unknown key '<<' (Use `extends: <environment>` to take over keys.)",
    ]);
  });

  test('duplicate keys, tabs and several syntax errors', async () => {
    expect(await told('environments:\n  a: { provider: local }\n  a: { provider: local }\n')).toEqual([
      "3:3: the key 'a' is here twice (It was first written in line 2.)",
    ]);
    expect((await told('environments:\n\ta: 1\n')).join('\n')).toContain('Indent with spaces');
    const broken = await problems('environments:\n  a: { provider: local\n  b: "x\nc: ]\n');
    expect(broken.length).toBeGreaterThan(1);
    expect(broken.every((one) => one.line !== undefined && one.column !== undefined)).toBe(true);
    expect(await told('a: 1\n---\nb: 2\n')).toEqual([expect.stringContaining('Keep one document per file')]);
    expect(await told('- a\n')).toEqual([expect.stringContaining('1:1: the file does not hold a map')]);
  });

  test('hostile YAML ends as a diagnostic', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 12; i++)
      bomb.push(
        `b${i}: &b${i} [${Array(9)
          .fill(i === 1 ? '*a' : `*b${i - 1}`)
          .join(',')}]`,
      );
    expect((await told(bomb.join('\n'))).join()).toContain('multiply');
    expect((await told('environments: &e { a: *e }\n')).join()).toMatch(/nested too deeply|alias/);
    const began = performance.now();
    expect((await told(`x:\n  ${'['.repeat(1_000_000)}`)).join()).toContain('2:1003: the file is nested too deeply');
    expect(performance.now() - began).toBeLessThan(2_000);
    expect((await told('['.repeat(50_000))).length).toBeGreaterThan(0);
    expect((await told('a: {'.repeat(500) + '}'.repeat(500))).length).toBeGreaterThan(0);
    expect(await told('environments: { a: { provider: local, __proto__: { x: 1 } } }')).toEqual([
      expect.stringContaining("unknown key '__proto__'"),
    ]);
    expect((await told('environments: { a: { provider: cloud, region: x, size: { disk: .inf } } }')).join()).toContain(
      'not finite',
    );
  });

  test('as text', async () => {
    const found = await problems('store: 5\n');
    expect(formatDiagnostics(found)).toBe(
      `${join(directory, 'errand.yaml')}:1:8: error: store: expected text, got a number\n    If it is text, put it into quotes; a duration needs a unit, as in 20m.`,
    );
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});

describe('providers that are programs', () => {
  test('an entry gives its directory, config and variables; environments name it, with keys of their own', async () => {
    const config = await load(`providers:
  mine:
    plugin: ./plugins/mine
    config: { region: fra1, token: { secret: secret://env/T } }
    env: { LEVEL: 3, KEY: { secret: secret://env/K } }
environments:
  far: { provider: mine, size: [1, { a: b }], timeout: 5m }
`);
    expect(config.plugins?.get('mine')).toEqual({
      name: 'mine',
      directory: join(directory, 'plugins/mine'),
      config: { region: 'fra1', token: { secret: 'secret://env/T' } },
      env: { LEVEL: '3' },
      secretEnv: { KEY: 'secret://env/K' },
    });
    expect(config.environments.get('far')).toMatchObject({
      provider: 'mine',
      options: { size: [1, { a: 'b' }] },
      timeout: 300_000,
    });
  });

  test('every problem has its place', async () => {
    const text = `providers:
  local: { plugin: ./a }
  Bad Name: { plugin: ./a }
  half: { plugn: ./a }
  text: ./a
environments:
  far: { provider: hlaf }
`;
    expect(await told(text)).toEqual([
      "2:3: providers: 'local' is a built-in provider (Give the plugin another name; environments name it as their provider.)",
      "3:3: 'Bad Name' cannot be the name of a provider (Use up to 63 of a-z, 0-9, and . _ - after the first.)",
      '4:9: plugin: this key is required',
      "4:11: unknown key 'plugn' (did you mean 'plugin'?)",
      "5:9: the provider 'text' is not a map of keys (Write for instance `text: { plugin: ./plugins/text }`.)",
      expect.stringContaining("7:20: provider: there is no provider 'hlaf'") as string,
    ]);
    expect(await told('providers: [a]\n')).toEqual([
      expect.stringContaining('1:12: providers: expected a map of names') as string,
    ]);
  });
});
