// The published types: what the entries of `packages/cli` show, and only what that leads to. Our packages are not
// published one by one, so a name from `@errand/core` is looked up in that package's index and imported from where it is
// declared; the rest of the engine stays out, and with it the types of its own dependencies.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const entries: Readonly<Record<string, string>> = {
  index: 'packages/cli/src/index.d.ts',
  provider: 'packages/cli/src/author/provider.d.ts',
  zod: 'packages/cli/src/author/zod.d.ts',
  conformance: 'packages/cli/src/author/conformance.d.ts',
};
const packages: Readonly<Record<string, string>> = {
  '@errand/contract': 'packages/contract/src/index.d.ts',
  '@errand/core': 'packages/core/src/index.d.ts',
  '@errand/plugin': 'packages/plugin/src/index.d.ts',
};
const statement = /(import|export)( type)? \{([^}]*)\} from '([^']+)';/g;

export async function writeTypes(directory: string): Promise<void> {
  const emitted = await mkdtemp(join(tmpdir(), 'errand-types-'));
  try {
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'packages/cli/tsconfig.types.json'), '--outDir', emitted]);
    const todo = Object.values(entries);
    const done = new Set<string>();
    for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
      if (done.has(file)) continue;
      done.add(file);
      const { text, imports } = await direct(emitted, file);
      todo.push(...imports);
      await mkdir(join(directory, dirname(file)), { recursive: true });
      await writeFile(join(directory, file), text);
    }
    for (const [name, entry] of Object.entries(entries)) {
      await writeFile(join(directory, `${name}.d.ts`), `export * from './${entry.replace('.d.ts', '.js')}';\n`);
    }
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

/** The file with every import naming the declaring file, and those files. */
async function direct(emitted: string, file: string) {
  const source = await readFile(join(emitted, file), 'utf8');
  const imports = new Set<string>();
  const indexes = new Map(
    await Promise.all(Object.entries(packages).map(async ([name, path]) => [name, await declarations(emitted, path)] as const)),
  );
  const text = source.replace(statement, (whole, verb: string, type: string | undefined, names: string, from: string) => {
    const index = indexes.get(from);
    if (!index && !from.startsWith('.')) return whole;
    const byFile = new Map<string, string[]>();
    for (const name of names
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')) {
      const target = index ? index.get(name.split(' as ')[0] ?? '') : beside(file, from);
      if (target === undefined) throw new Error(`${file} takes ${name} from ${from}, whose index does not give it`);
      byFile.set(target, [...(byFile.get(target) ?? []), name]);
      imports.add(target);
    }
    return [...byFile]
      .map(
        ([target, some]) =>
          `${verb}${type ?? ''} { ${some.join(', ')} } from '${pathFrom(file, target).replace('.d.ts', '.js')}';`,
      )
      .join('\n');
  });
  return { text, imports };
}

/** Name → the file that an index re-exports it from. */
async function declarations(emitted: string, index: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(emitted, index), 'utf8');
  return new Map(
    [...text.matchAll(statement)].flatMap(([, , , names, from]) =>
      (names ?? '').split(',').map((name) => [name.trim(), beside(index, from ?? '')] as const),
    ),
  );
}

function beside(file: string, from: string): string {
  return posix.join(posix.dirname(file), from.replace(/\.ts$/, '.d.ts'));
}

function pathFrom(file: string, target: string): string {
  const path = posix.relative(posix.dirname(file), target);
  return path.startsWith('.') ? path : `./${path}`;
}
