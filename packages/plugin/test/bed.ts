// Plugin directories for the tests, and what they leave behind.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { variables } from '../src/handshake/cookie.ts';
import { identityOf, withVariable } from '../src/launch/process-identity.ts';
import { listRecords } from '../src/launch/record.ts';
import type { LaunchOptions } from '../src/launch/begin.ts';

export interface Bed extends AsyncDisposable {
  readonly directory: string;
  readonly home: string;
  readonly lines: string[];
  /** A plugin directory whose executable is this JavaScript. */
  readonly script: (source: string, name?: string) => Promise<string>;
  /** A plugin directory whose executable runs a program. */
  readonly program: (argv: readonly string[], name?: string) => Promise<string>;
  /** Options for launching what lies in `directory`, with a temporary directory of its own for the sockets. */
  readonly options: (directory: string, more?: Partial<LaunchOptions>) => LaunchOptions;
}

export const echoProgram = join(import.meta.dirname, 'programs/echo.ts');

/** A plugin directory below `parent` whose executable runs this program. */
export async function writePlugin(parent: string, name: string, argv: readonly string[]): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  const manifest = { name, version: '1.0.0', author: 'tests', description: 'a test' };
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(manifest));
  const quoted = argv.map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(' ');
  await writeFile(join(folder, name), `#!/bin/sh\nexec ${quoted}\n`, { mode: 0o755 });
  return folder;
}

export async function createBed(): Promise<Bed> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-bed-'));
  const home = join(directory, 'home');
  const lines: string[] = [];

  const program = (argv: readonly string[], name = 'probe') => writePlugin(directory, name, argv);
  return {
    directory,
    home,
    lines,
    program,
    script: async (source, name = 'probe') => {
      const file = join(directory, `${name}.mjs`);
      await writeFile(file, source);
      return await program([process.execPath, file], name);
    },
    options: (folder, more) => ({ directory: folder, home, lockFile: undefined, log: (line) => lines.push(line), ...more }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The whole records under this home; one on its way in or out does not count. */
export async function records(home: string): Promise<unknown[]> {
  return (await listRecords(home)).map(({ record }) => record);
}

export async function until(what: () => boolean | Promise<boolean>, within = 10_000): Promise<void> {
  for (const end = Date.now() + within; Date.now() < end;) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`it did not come true within ${within} ms: ${String(what)}`);
}

export const isGone = (pid: number) => identityOf(pid) === undefined;

/** No process that was launched under this home is left, and no record or socket of one. */
export async function expectNothingLeft(bed: Bed): Promise<void> {
  expect(await records(bed.home)).toEqual([]);
  expect(processesWith(bed.home)).toEqual([]);
}

/** Processes that were told this home. */
function processesWith(home: string): number[] {
  return withVariable(variables.home, join(home, 'provider')).map(({ pid }) => pid);
}
