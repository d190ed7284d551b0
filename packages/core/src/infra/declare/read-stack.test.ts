import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineProvider, ErrandError, isErrandError } from '@errand/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { loadConfig } from '../../config/load.ts';
import type { Stack } from '../../model/infra/stack.ts';
import { fingerprint } from '../hash/hash.ts';
import { readStack, stackNames, type StackOptions } from './read-stack.ts';

const definition = (name: string, infra: boolean) =>
  defineProvider({
    name,
    version: '1',
    summary: '',
    options: () => Promise.resolve(z.strictObject({})),
    ...(infra && { infraOptions: () => Promise.resolve(z.strictObject({ host: z.string().optional() })) }),
    open: () => Promise.reject(new Error('not opened here')),
  });
const providers = new Map(
  [definition('local', true), definition('docker', true), definition('ssh', false)].map((one) => [one.name, one]),
);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'errand-stack-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function read(yaml: string, options: Partial<StackOptions> = {}, env: Record<string, string> = {}): Promise<Stack> {
  const path = join(directory, 'errand.yaml');
  await writeFile(path, yaml);
  return readStack(await loadConfig({ path, cwd: directory, env, providers }), { providers, ...options });
}

/** `line:column message | hint`. */
async function problems(yaml: string, options: Partial<StackOptions> = {}): Promise<string[]> {
  const error: unknown = await read(yaml, options).catch((thrown: unknown) => thrown);
  if (!isErrandError(error, 'config/invalid')) throw new Error(`not refused: ${String(error)}`);
  return error.diagnostics.map((one) => `${one.line}:${one.column} ${one.message}${one.hint ? ` | ${one.hint}` : ''}`);
}

const example = `
infra:
  providers: { here: { use: local }, laptop: { use: docker, host: "\${env:HOST:-unix}" } }
  resources:
    net:  { type: infra.vpc, provider: laptop }
    db:   { type: infra.database, provider: laptop, size: s, protected: true, config: { engine: postgres, vpc_ref: "\${net.id}" } }
    motd:
      type: local.file
      provider: here
      depends_on: net
      config: { path: out/motd.txt, content: "db at \${db.host}:\${db.port} of \${env:WHO} $\${x}", mode: 420, key: secret://file/key }
      lifecycle: { ignore_changes: [mode], create_before_destroy: true }
  outputs: { dsn: { value: "\${db.uri}", sensitive: true }, path: "\${motd.path}" }
  environments:
    prod:
      providers: { laptop: { host: tcp } }
      resources:
        motd:
        db: { size: l, config: { engine: mysql, vpc_ref: } }
      outputs: { path: }
`;

test('the section becomes a stack', async () => {
  const stack = await read(
    example,
    { secretVersion: (reference) => Promise.resolve(`v of ${reference}`) },
    { WHO: '${me.x} $5' },
  );
  expect(stack.name).toBe('default');
  expect([...stack.providers.values()]).toMatchObject([
    { name: 'here', use: 'local', config: {} },
    { name: 'laptop', use: 'docker', config: { host: 'unix' } },
  ]);
  expect([...stack.resources.keys()]).toEqual(['net', 'db', 'motd']);
  expect(stack.resources.get('db')).toMatchObject({
    size: 's',
    protected: true,
    dependsOn: ['net'],
    config: { vpc_ref: '${net.id}' },
  });
  expect(stack.resources.get('motd')).toMatchObject({
    provider: 'here',
    dependsOn: ['net', 'db'],
    config: { content: 'db at ${db.host}:${db.port} of $${me.x} $5 $${x}', mode: 420 },
    lifecycle: { createBeforeDestroy: true, ignoreChanges: ['mode'], preventDestroy: false },
    origin: { line: 7, column: 5 },
  });
  expect(stack.resources.get('motd')?.origins?.get('content')).toMatchObject({ line: 11, column: 37 });
  expect([...stack.outputs.values()]).toMatchObject([
    { name: 'dsn', value: '${db.uri}', sensitive: true },
    { name: 'path', value: '${motd.path}', sensitive: false },
  ]);
  expect(Object.fromEntries(stack.inputs)).toEqual({
    'env:WHO': fingerprint('${me.x} $5'),
    'env:HOST': fingerprint('unix'),
    'secret://file/key': 'v of secret://file/key',
  });
});

test('an overlay is merged deeply, and empty values take away', async () => {
  const stack = await read(example, { env: 'prod' }, { WHO: 'x' });
  expect(stack.name).toBe('prod');
  expect([...stack.resources.keys()]).toEqual(['net', 'db']);
  expect(stack.resources.get('db')).toMatchObject({ size: 'l', config: { engine: 'mysql' }, dependsOn: [] });
  expect(stack.providers.get('laptop')?.config).toEqual({ host: 'tcp' });
  expect([...stack.outputs.keys()]).toEqual(['dsn']);
  const path = join(directory, 'errand.yaml');
  expect(stackNames(await loadConfig({ path, cwd: directory, env: {}, providers }))).toEqual(['default', 'prod']);
  await expect(read(example, { env: 'prd' }, { WHO: 'x' })).rejects.toMatchObject({
    code: 'environment/unknown',
    next: "did you mean 'prod'?",
  });
});

test('the only provider need not be named, nor what it uses', async () => {
  const stack = await read('infra: { providers: { docker: }, resources: { a: { type: t } } }');
  expect(stack.resources.get('a')).toMatchObject({ provider: 'docker', config: {} });
});

test('every mistake at once, each at its place', async () => {
  expect(
    await problems(`
infra:
  providers:
    here: { use: locl }
    far: { use: ssh }
    laptop: { use: docker, hots: x }
  resources:
    a: { type: t, provider: lptop }
    b: { type: t, provider: laptop, config: { x: "\${c.id} \${nobody.id}" }, sise: s }
    c: { provider: laptop, size: huge }
    d: { type: t, provider: laptop, depends_on: [dd], config: { x: "\${}", y: "\${d.id}", z: secret://nowhere/x } }
    env: { type: t }
    e.f: { type: t }
    g: { type: t, provider: "\${a.id}" }
    h: { type: t, provider: laptop, config: { big: 12345678901234567890, v: "\${env:UNSET_X}" } }
  outputs:
    o: { valeu: 1 }
    p: { value: "\${aa.id}" }
  backends: {}
`),
  ).toEqual([
    "4:18 infra.providers.here: there is no provider 'locl' | did you mean 'local'?",
    "5:17 infra.providers.far: the provider 'ssh' has no resources | Known are: local, docker.",
    "6:28 unknown key 'hots' | did you mean 'host'?",
    "8:29 a: there is no provider 'lptop' under infra.providers | did you mean 'laptop'?",
    "9:47 b: x: there is no resource 'nobody' | Known are: a, b, c, d, env, e.f, g, h.",
    "9:76 b: unknown key 'sise' | did you mean 'size'?",
    '10:5 c: type: this key is required',
    "10:34 c: size: expected 'xs' or 's' or 'm' or 'l' or 'xl'",
    expect.stringMatching(/^11:5 d: depends_on: there is no resource 'dd' \| did you mean 'd'\?/),
    expect.stringMatching(/^11:68 `\$\{\}` refers to nothing \| /),
    '11:75 d: y: ${d.id} refers to itself',
    expect.stringMatching(/^11:89 d: z: not a secret reference: there is no such secret store/),
    expect.stringMatching(/^12:5 'env' cannot be the name of a resource/),
    expect.stringMatching(/^13:5 'e.f' cannot be the name of a resource/),
    expect.stringMatching(/^14:29 \$\{a.id\} cannot stand here/),
    "14:29 g: there is no provider '' under infra.providers | Known are: here, far, laptop.",
    '15:52 the number is too large to be kept exactly | Put it into quotes.',
    expect.stringMatching(/^15:77 the environment variable UNSET_X is not set/),
    expect.stringMatching(/^17:5 outputs.o: there is no value/),
    "17:10 outputs.o: unknown key 'valeu' | did you mean 'value'?",
    "18:5 outputs.p: there is no resource 'aa' | did you mean 'a'?",
    "19:3 unknown key 'infra.backends' | did you mean 'backend'?",
  ]);
});

test('a circle is named with its way', async () => {
  const yaml = `
infra:
  providers: { local: }
  resources:
    a: { type: t, config: { x: "\${c.id}" } }
    b: { type: t, depends_on: [a] }
    c: { type: t, depends_on: [b] }
    d: { type: t, depends_on: [a] }
`;
  expect(await problems(yaml)).toEqual([
    '5:5 the resources depend on each other in a circle: a → c → b → a | Take one of these references or depends_on out.',
  ]);
});

test('a name that is written twice is told of with both lines', async () => {
  const yaml = 'infra:\n  providers: { local: }\n  resources:\n    a: { type: t }\n    a: { type: t }\n';
  expect(await problems(yaml)).toEqual(["5:5 the key 'a' is here twice | It was first written in line 4."]);
});

test('a secret that cannot be read is a mistake at its place', async () => {
  const secretVersion = () => Promise.reject(new ErrandError('secret/missing', 'cannot read it', { next: 'Put it there.' }));
  const yaml = 'infra: { providers: { local: }, resources: { a: { type: t, config: { k: secret://file/x } } } }';
  expect(await problems(yaml, { secretVersion })).toEqual(['1:70 cannot read it | Put it there.']);
});

test('a secret cannot be named by an output', async () => {
  const yaml =
    'infra: { providers: { local: }, resources: { a: { type: t }, b: { type: t, config: { k: "secret://file/${a.x}" } } } }';
  expect(await problems(yaml)).toEqual([
    '1:86 b: k: not a secret reference: it cannot be put together from references | Write secret://env/NAME or secret://file/path.',
  ]);
});

test('without a section there is nothing to read', async () => {
  await expect(read('store: sqlite\n')).rejects.toMatchObject({ code: 'infra/invalid' });
  expect(await problems('infra: [a]\n')).toEqual(['1:8 infra: expected a map']);
});

test('the backend is one of the providers', async () => {
  const base = 'infra:\n  providers: { local: }\n  backend: ';
  expect((await read(`${base}{ provider: local, name: s3, config: { bucket: b } }\n`)).backend).toMatchObject({
    provider: 'local',
    name: 's3',
    config: { bucket: 'b' },
  });
  expect(await problems(`${base}{ provider: lokal, name: s3 }\n`)).toEqual([
    "3:24 infra.backend: there is no provider 'lokal' under infra.providers | did you mean 'local'?",
  ]);
});
