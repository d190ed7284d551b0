// The arrows of ARCHITECTURE.md, read from the imports. A failing line here is a design question, not a typo.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

const providers = ['local', 'docker', 'ssh', 'agent'].map((name) => `@errand/provider-${name}`);

const conformance = ['@errand/plugin/conformance', '@errand/testkit/conformance'];

/** package → packages of ours that its sources may import. Test files may also import the testkit and providers. */
const packages: Record<string, readonly string[]> = {
  'packages/contract': [],
  'packages/core': ['@errand/contract', '@errand/plugin', '@errand/plugin/open'],
  'packages/testkit': ['@errand/contract', '@errand/core'],
  // The scenarios are a part of `errand provider test`; the rest of the testkit is for tests only.
  'packages/cli': ['@errand/contract', '@errand/core', '@errand/plugin', ...conformance, ...providers],
  'packages/plugin': ['@errand/contract'],
  'providers/local': ['@errand/contract'],
  'providers/docker': ['@errand/contract'],
  'providers/ssh': ['@errand/contract'],
  'providers/agent': ['@errand/contract', '@errand/plugin'],
};

/** Inside core, left never imports right. Files directly in src belong to the layer of their name. */
const layers = [
  'ports',
  'model',
  'base',
  'store',
  'logs',
  'config',
  'secrets',
  'providers',
  'engine',
  'lease',
  'workspace',
  'run',
  'infra',
  'runtime',
  'index',
];

/** The same inside `infra`. */
const infraLayers = ['sdk', 'references', 'canonical', 'hash', 'declare', 'plan', 'state', 'apply', 'operate', 'open'];

interface Import {
  readonly file: string;
  readonly target: string;
}

function sources(directory: string): string[] {
  return (
    readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      // Generated from the .proto files.
      .filter((name) => !name.startsWith('gen/'))
      .map((name) => join(directory, name))
  );
}

function imports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/(?:^|\s)(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'|import\('([^']+)'\)/g);
  return [...found].map((match) => ({ file, target: match[1] ?? match[2] ?? '' }));
}

function layerOf(file: string): number {
  const [first = ''] = relative('packages/core/src', file).split('/');
  return layers.indexOf(first.replace(/\.ts$/, ''));
}

/** Only the program that serves a provider as a plugin knows what serves it. */
const isProgram = (file: string) => file.startsWith('providers/') && file.endsWith('/src/bin.ts');

test.each(Object.entries(packages))('%s imports only what it may', (directory, allowed) => {
  const wrong = sources(join(directory, 'src'))
    .flatMap(imports)
    .filter(({ file, target }) => !(isProgram(file) && target === '@errand/plugin'))
    .filter(({ target }) => target.startsWith('@errand/') || target === 'errand')
    .filter(({ target }) => !allowed.includes(target.replace(/\/tar$/, '')));
  expect(wrong).toEqual([]);
});

test('the scenarios that are shipped stand on the contract and Node alone', () => {
  const todo = ['packages/testkit/src/conformance.ts'];
  const seen = new Set<string>();
  const outside = new Set<string>();
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const { target } of imports(file)) {
      if (target.startsWith('.')) todo.push(join(dirname(file), target));
      else if (!target.startsWith('node:')) outside.add(target);
    }
  }
  expect(seen.size).toBeGreaterThan(15);
  expect([...outside].toSorted()).toEqual(['@errand/contract']);
});

test('core loads what launches plugins only when one is opened', () => {
  const text = (file: string) => readFileSync(join(root, file), 'utf8');
  const wrong = sources('packages/core/src')
    .filter((file) => text(file).includes("'@errand/plugin'"))
    .filter((file) => !file.endsWith('providers/plugin.ts') || /^(import|export)[^\n]*'@errand\/plugin'/m.test(text(file)));
  expect(wrong).toEqual([]);
});

test('packages are imported by name, never by path', () => {
  const wrong = Object.keys(packages)
    .flatMap((directory) =>
      sources(join(directory, 'src'))
        .flatMap(imports)
        .map((found) => ({ ...found, directory })),
    )
    .filter(({ target }) => target.startsWith('.'))
    .filter(({ file, target, directory }) => !join(dirname(file), target).startsWith(`${directory}/`));
  expect(wrong).toEqual([]);
});

test('every file of core is in a layer, and no layer imports one to its right', () => {
  const files = sources('packages/core/src');
  expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
  const wrong = files
    .flatMap(imports)
    .filter(({ target }) => target.startsWith('.'))
    .filter(({ file, target }) => layerOf(join(dirname(file), target)) > layerOf(file));
  expect(wrong).toEqual([]);
});

test('inside infra no folder imports one to its right', () => {
  const files = sources('packages/core/src/infra').filter((file) => !file.endsWith('.test.ts'));
  const level = (file: string) =>
    infraLayers.indexOf((file.replace('packages/core/src/infra/', '').split('/')[0] ?? '').replace(/\.ts$/, ''));
  expect(files.filter((file) => level(file) === -1)).toEqual([]);
  const wrong = files
    .flatMap(imports)
    .filter(({ target }) => target.startsWith('.'))
    .filter(({ file, target }) => level(join(dirname(file), target)) > level(file));
  expect(wrong).toEqual([]);
});

test('the engine reads time and randomness from its ports only', () => {
  const engine = ['providers', 'engine', 'lease', 'run', 'infra'].flatMap((layer) => sources(`packages/core/src/${layer}`));
  const wrong = engine.filter((file) =>
    /Date\.now|new Date\(\)|setTimeout|setInterval|Math\.random/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(wrong).toEqual([]);
});

test('files are small rooms with plain names', () => {
  const files = Object.keys(packages).flatMap((directory) => sources(join(directory, 'src')));
  const lengths = files.map((file) => readFileSync(join(root, file), 'utf8').split('\n').length).toSorted((a, b) => a - b);
  expect(files.filter((file) => /util|helper|manager|misc|common/i.test(file))).toEqual([]);
  expect(lengths.at(-1)).toBeLessThanOrEqual(400);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(80);
  expect(lengths[Math.floor(lengths.length * 0.9)]).toBeLessThanOrEqual(200);
});
