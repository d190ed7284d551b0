// Against `docker run --rm` and `tar | docker cp`, with the same image and command on the same engine.
import { spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBed } from '../providers/docker/test/bed.ts';
import type { Bed } from '../providers/docker/test/bed.ts';
import { errand, textOf, time } from './command.ts';
import type { Command } from './command.ts';
import type { Benchmark, Result, Setup } from './result.ts';
import { compare, inTurns } from './sampling.ts';
import { startWorker } from './worker.ts';

export const docker: Benchmark = {
  name: 'docker',
  async measure(setup) {
    const bed = await findBed();
    const missing = typeof bed === 'string' ? bed : noClient();
    if (typeof bed === 'string' || missing !== undefined) {
      process.stderr.write(`skipped docker: ${missing}\n`);
      return [];
    }
    const config = join(setup.directory, 'docker');
    await mkdir(config, { recursive: true });
    await writeFile(join(config, 'errand.yaml'), `environments:\n  box: { provider: docker, image: "${bed.image}" }\n`);
    return [
      ...(await cold(setup, bed, config)),
      ...(await warm(setup, bed, config)),
      await workspace(setup, bed, config),
      await wide(setup, config),
    ];
  },
};

function noClient(): string | undefined {
  return spawnSync('docker', ['--version']).error ? 'no docker command is on the PATH to compare with' : undefined;
}

const common = { unit: 'ms', better: 'lower', judged: 'ratio' } as const;

function dockerRun({ directory }: Setup, { address, image }: Bed): Command {
  const env = { ...process.env, DOCKER_HOST: address };
  return { argv: ['docker', 'run', '--rm', image, 'true'], cwd: directory, env, stdio: 'ignore' };
}

async function cold(setup: Setup, bed: Bed, config: string): Promise<Result[]> {
  const baseline = () => time(dockerRun(setup, bed));
  const against = 'docker run --rm IMAGE true';
  const rounds = setup.quick ? 5 : 20;
  const cli = errand(setup, 'docker-cold', ['run', '--on', 'docker', '--image', bed.image, '--', 'true']);
  await using sdk = startWorker('docker.ts', [setup.sdk, join(setup.directory, 'docker-cold-sdk'), config, 'cold', 'true']);
  const byCli = await inTurns({ baseline, ours: () => time(cli) }, rounds, 2);
  const bySdk = await inTurns({ baseline, ours: async () => one(await sdk.ask({ count: 1, width: 1 })) }, rounds, 2);
  return [
    { name: 'docker, cold', what: 'errand run --on docker -- true', against, ...common, bar: 1.3, ...compare(byCli) },
    { name: 'docker, cold, SDK', what: 'the same through the SDK', against, ...common, bar: 1.1, ...compare(bySdk) },
  ];
}

async function warm(setup: Setup, bed: Bed, config: string): Promise<Result[]> {
  const baseline = () => time(dockerRun(setup, bed));
  const against = 'docker run --rm IMAGE true';
  const rounds = setup.quick ? 5 : 20;
  const inConfig = (args: readonly string[]) => ({ ...errand(setup, 'docker-warm', args), cwd: config });
  const lease = (await textOf({ ...inConfig(['lease', 'acquire', '--quiet', 'box']) })).trim();
  try {
    await using sdk = startWorker('docker.ts', [setup.sdk, join(setup.directory, 'docker-warm-sdk'), config, 'warm', 'true']);
    const exec = errand(setup, 'docker-warm', ['lease', 'exec', lease, '--', 'true']);
    const byCli = await inTurns({ baseline, ours: () => time(exec) }, rounds, 2);
    const bySdk = await inTurns({ baseline, ours: async () => one(await sdk.ask({ count: 1, width: 1 })) }, rounds, 2);
    return [
      { name: 'docker, warm', what: 'errand lease exec LEASE -- true', against, ...common, bar: 0.5, ...compare(byCli) },
      { name: 'docker, warm, SDK', what: 'the same through the SDK', against, ...common, bar: 0.3, ...compare(bySdk) },
    ];
  } finally {
    await time(inConfig(['lease', 'release', '--quiet', lease]));
  }
}

/** Both sides make a place, bring the files in, run `true` there, and clear it away. */
async function workspace(setup: Setup, bed: Bed, config: string): Promise<Result> {
  const { files, size } = setup.quick ? { files: 1_000, size: 20_000 } : { files: 10_000, size: 20_000 };
  const tree = join(setup.directory, 'docker-tree');
  await fillTree(tree, files, size);
  // Into /tmp, for `docker cp` wants the directory to be there.
  const script =
    'id=$(docker create "$2" true) && tar -C "$1" -c . | docker cp - "$id:/tmp" && docker start -a "$id" && docker rm "$id"';
  const env = { ...process.env, DOCKER_HOST: bed.address };
  const argv = ['sh', '-c', script, 'sh', tree, bed.image];
  const baseline = () => time({ argv, cwd: setup.directory, env, stdio: 'ignore' });
  const run = errand(setup, 'docker-tree-home', ['run', '--on', 'box', '--workspace', tree, '--', 'true']);
  const samples = await inTurns({ baseline, ours: () => time({ ...run, cwd: config }) }, setup.quick ? 2 : 5, 1);
  await rm(tree, { recursive: true });
  const what = `${files} files, ${Math.round((files * size) / 1e6)} MB in, and true`;
  return { name: 'docker, workspace', what, against: 'tar | docker cp, docker start', ...common, bar: 1.5, ...compare(samples) };
}

async function fillTree(tree: string, files: number, size: number): Promise<void> {
  const content = Buffer.alloc(size);
  for (let index = 0; index < files; index++) {
    const dir = join(tree, `d${index % 100}`);
    if (index < 100) await mkdir(dir, { recursive: true });
    content.writeUInt32LE(index, 0);
    await writeFile(join(dir, `f${index}`), content);
  }
}

/** Flat: what later wide rounds leave in memory above the first one, once the collector has been through. */
async function wide(setup: Setup, config: string): Promise<Result> {
  const count = setup.quick ? 40 : 200;
  await using sdk = startWorker('docker.ts', [setup.sdk, join(setup.directory, 'docker-wide'), config, 'wide', 'true']);
  const first = one(await sdk.ask({ count, width: count }));
  const later: number[] = [];
  for (let round = 0; round < 2; round++) later.push(one(await sdk.ask({ count, width: count })));
  process.stderr.write(`docker, memory: ${[first, ...later].map((mb) => `${mb.toFixed(0)} MB`).join(', ')} after each round\n`);
  const what = `RSS after ${2 * count} more runs, ${count} wide, above the first ${count}, SDK`;
  return {
    name: 'docker, memory',
    what,
    unit: 'MB',
    better: 'lower',
    judged: 'ours',
    bar: 20,
    ours: (later.at(-1) ?? Number.NaN) - first,
  };
}

const one = ([value = Number.NaN]: readonly number[]) => value;
