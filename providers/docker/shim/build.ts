// Makes src/standing/shim-programs.ts from the sources beside this file: `npx node providers/docker/shim/build.ts`.
// Needs gcc for both machines (Debian: gcc, gcc-aarch64-linux-gnu); installing and building Errand needs neither.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const here = import.meta.dirname;
const names = readdirSync(here)
  .filter((name) => /\.[ch]$/.test(name))
  .toSorted();
const flags = [
  '-nostdlib -static -ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns -fno-stack-protector -fno-pie -no-pie -Os -s',
  '-fno-asynchronous-unwind-tables -Wall -Wextra -Werror -Wl,--build-id=none,-z,noseparate-code,-z,norelro,-z,noexecstack',
].flatMap((line) => line.split(' '));

export const compilers = {
  amd64: [process.arch === 'x64' ? 'gcc' : 'x86_64-linux-gnu-gcc'],
  arm64: [process.arch === 'arm64' ? 'gcc' : 'aarch64-linux-gnu-gcc', '-mno-outline-atomics'],
} as const;

export function sourceHash(): string {
  const hash = createHash('sha256').update(flags.join(' '));
  for (const name of names) hash.update(name).update(readFileSync(join(here, name)));
  return hash.digest('hex');
}

/** The program's bytes. Throws where that compiler is missing. */
export function compile(machine: keyof typeof compilers): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'errand-shim-'));
  try {
    const sources = names.filter((name) => name.endsWith('.c')).map((name) => join(here, name));
    const [program, ...more] = compilers[machine];
    execFileSync(program, [...flags, ...more, '-o', join(dir, 'shim'), ...sources], { stdio: ['ignore', 'inherit', 'pipe'] });
    return readFileSync(join(dir, 'shim'));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function lines(bytes: Buffer): string {
  const text = gzipSync(bytes, { level: 9 }).toString('base64');
  return (text.match(/.{1,110}/g) ?? []).map((line) => `    '${line}',`).join('\n');
}

if (import.meta.main) {
  const programs = (['amd64', 'arm64'] as const).map((machine) => `  ${machine}: [\n${lines(compile(machine))}\n  ],`);
  writeFileSync(
    join(here, '../src/standing/shim-programs.ts'),
    `// Made by shim/build.ts from the C sources beside it; not to be edited. Each is base64 of gzip of a static program.
export const shimSource = '${sourceHash()}';

export const shimPrograms = {
${programs.join('\n')}
} as const;
`,
  );
}
