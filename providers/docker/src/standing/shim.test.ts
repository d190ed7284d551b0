import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compile, compilers, sourceHash } from '../../shim/build.ts';
import { shimPrograms, shimSource } from './shim-programs.ts';

const machines = { amd64: 62, arm64: 183 } as const;
const names = Object.keys(machines) as (keyof typeof machines)[];
const programOf = (machine: keyof typeof machines) => gunzipSync(Buffer.from(shimPrograms[machine].join(''), 'base64'));

/** Skips, or fails where CI is set. */
function lack(skip: (reason: string) => void, reason: string): void {
  if (process.env['CI']) throw new Error(reason);
  skip(reason);
}

test('the programs were made from the sources that are here', () => {
  expect(shimSource, 'run: npx node providers/docker/shim/build.ts').toBe(sourceHash());
});

test.for(names)('%s: a static program for that machine, of a few KB', (machine) => {
  const program = programOf(machine);
  expect(program.subarray(0, 4).toString('latin1')).toBe('\u007fELF');
  expect(program.readUInt16LE(16)).toBe(2);
  expect(program.readUInt16LE(18)).toBe(machines[machine]);
  const headers = Array.from({ length: program.readUInt16LE(56) }, (_, index) => program.readUInt32LE(64 + 56 * index));
  // No interpreter and nothing to be linked.
  expect(headers).not.toContain(3);
  expect(headers).not.toContain(2);
  expect(program.length).toBeLessThan(24 * 1024);
});

test.for(names)('%s: compiles anew, without a warning', (machine, { skip }) => {
  const [compiler] = compilers[machine];
  if (spawnSync(compiler, ['--version']).error) lack(skip, `no ${compiler} is here`);
  const program = compile(machine);
  expect(program.readUInt16LE(18)).toBe(machines[machine]);
});

test.for(names)('%s: runs, and refuses what it does not know', (machine, { skip }) => {
  const own = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  const emulator = { amd64: 'qemu-x86_64-static', arm64: 'qemu-aarch64-static' }[machine];
  const dir = mkdtempSync(join(tmpdir(), 'errand-shim-'));
  try {
    const path = join(dir, 'shim');
    writeFileSync(path, programOf(machine), { mode: 0o755 });
    const [program, args] = own === machine && process.platform === 'linux' ? [path, []] : [emulator, [path]];
    const result = spawnSync(program, [...args, 'nonsense']);
    if (result.error) lack(skip, `this machine cannot run it, and has no ${emulator}`);
    expect(result.status).toBe(64);
    // One that talks ends with its stdin.
    expect(spawnSync(program, [...args, 'talk'], { input: 'rubbish', timeout: 10_000 }).status).toBe(0);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
