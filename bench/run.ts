// `npm run bench [-- --only NAME] [--quick] [--check] [--directory DIR]`: measures
// against what a user would use instead, in one run. A missed bar is told and is no failure, because
// it depends on the machine; `--check` makes it one.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { arch, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chartOf } from './chart.ts';
import { time } from './command.ts';
import { docker } from './docker.ts';
import { ephemeral } from './ephemeral.ts';
import { files } from './files.ts';
import { latency } from './latency.ts';
import { output } from './output.ts';
import { plugin } from './plugin.ts';
import { recovery } from './recovery.ts';
import { isReached } from './result.ts';
import type { Result, Setup } from './result.ts';
import { startUp } from './start-up.ts';
import { steps } from './steps.ts';
import { tableOf } from './table.ts';
import { throughput } from './throughput.ts';
import { wire } from './wire.ts';

const all = [startUp, throughput, latency, output, steps, files, recovery, wire, plugin, ephemeral, docker];
const root = join(import.meta.dirname, '..');

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    /** Where the data goes. What creating and removing a file costs there is a good part of several figures. */
    directory: { type: 'string', default: tmpdir() },
  },
});

async function main(): Promise<number> {
  const unknown = options.only.filter((name) => all.every((each) => each.name !== name));
  if (unknown.length > 0 || process.platform !== 'linux') {
    const names = all.map((each) => each.name).join(', ');
    console.error(
      unknown.length > 0
        ? `bench: no benchmark ${unknown.join(', ')}; there are ${names}`
        : 'bench: it reads /proc, so it needs Linux',
    );
    return 2;
  }
  const chosen = all.filter((each) => options.only.length === 0 || options.only.includes(each.name));
  await time({ argv: [process.execPath, 'scripts/build.ts'], cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const directory = await mkdtemp(join(resolve(options.directory), 'errand-bench-'));
  try {
    const setup = await prepare(directory);
    const results: Result[] = [];
    for (const benchmark of chosen) {
      process.stderr.write(`measuring ${benchmark.name}\n`);
      results.push(...(await benchmark.measure(setup)));
    }
    await report(results);
    return options.check && results.some((result) => isReached(result) === false) ? 1 : 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A copy, so that a build in the middle of the measuring does not mix two versions. */
async function prepare(directory: string): Promise<Setup> {
  const cli = join(directory, 'cli');
  for (const part of ['package.json', 'bin', 'dist'])
    await cp(join(root, 'packages/cli', part), join(cli, part), { recursive: true });
  return { quick: options.quick, directory, program: join(cli, 'bin/errand.js'), sdk: join(cli, 'dist/index.js') };
}

async function report(results: readonly Result[]): Promise<void> {
  const when = new Date();
  const machine = {
    node: process.version,
    platform: process.platform,
    arch: arch(),
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? '',
  };
  const folder = join(import.meta.dirname, 'results');
  const document = { when: when.toISOString(), quick: options.quick, machine, results };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'latest.json'), `${JSON.stringify(document, undefined, 2)}\n`);
  await writeFile(join(folder, 'chart.svg'), chartOf(results, when));
  console.log(
    `\n${tableOf(results)}\n\nNode ${machine.node}, ${machine.cores} × ${machine.cpu}; ${folder}/latest.json, chart.svg`,
  );
}

process.exitCode = await main();
