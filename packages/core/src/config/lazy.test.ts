import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The packages that a fresh process loads while it loads the config. */
function loaded(cwd: string): string[] {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ resolve: (specifier, context, next) => { seen.add(specifier); return next(specifier, context); } });
    const { loadConfig } = await import(${JSON.stringify(join(import.meta.dirname, 'load.ts'))});
    await loadConfig({ cwd: ${JSON.stringify(cwd)}, env: {}, providers: new Map() });
    console.log(JSON.stringify([...seen].filter((name) => name === 'yaml' || name === 'zod')));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })) as string[];
}

test('zod is loaded only for a config file, the YAML parser only for one that needs it', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'errand-lazy-'));
  expect(loaded(cwd)).toEqual([]);
  await writeFile(join(cwd, 'errand.yaml'), 'store: sqlite\n');
  expect(loaded(cwd)).toEqual(['zod']);
  await writeFile(join(cwd, 'errand.yaml'), 'store: &name sqlite\n');
  expect(loaded(cwd)).toEqual(['yaml', 'zod']);
  await rm(cwd, { recursive: true });
});
