// The only writes into the person's directory. A file appears whole or not at all, nothing is written through a link, and
// nothing that was not looked at a moment ago is replaced.
import { createHash } from 'node:crypto';
import { constants, linkSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isStill } from './look.ts';
import { sha256 } from './version.ts';
import type { Version } from './version.ts';

export interface Target {
  /** Absolute and real. */
  readonly root: string;
  /** Holds the job's files under their paths. */
  readonly tree: string;
  readonly run: string;
  readonly epoch: number;
  /** Called before and after everything that changes the directory. Tests stop there. */
  readonly step: (what: string) => void | Promise<void>;
}

/** The stage does not hold what the plan says, as after a power cut. */
export class StageDamaged extends Error {
  override readonly name = 'StageDamaged';
}

/** Something came there since it was looked at. */
export class Taken extends Error {
  override readonly name = 'Taken';
}

/** The job's version of `path`, put at `at`, where nothing is. */
export async function create(target: Target, path: string, at: string, version: Version, mode: number): Promise<void> {
  const full = join(target.root, at);
  makeParents(target.root, dirname(at));
  if (version.kind === 'link') {
    await target.step(`link ${at}`);
    orTaken(() => symlinkSync(version.target, full));
  } else {
    const part = await fetch(target, path, at, version, mode);
    await target.step(`create ${at}`);
    orTaken(() => show(part, full));
    rmSync(part, { force: true });
  }
  await target.step(`created ${at}`);
}

/** The job's version of `path` in the place of what is there, unless that has changed since it was looked at. */
export async function replace(target: Target, path: string, version: Version, mode: number, seen: Stats): Promise<void> {
  const full = join(target.root, path);
  const part = await fetch(target, path, path, version, mode);
  await target.step(`replace ${path}`);
  if (!isStill(full, seen)) {
    rmSync(part, { force: true });
    throw new Taken(path);
  }
  renameSync(part, full);
  await target.step(`replaced ${path}`);
}

export async function remove(target: Target, path: string, seen: Stats): Promise<void> {
  const full = join(target.root, path);
  await target.step(`remove ${path}`);
  if (!isStill(full, seen)) throw new Taken(path);
  unlinkSync(full);
  await target.step(`removed ${path}`);
}

/** Directories on the way; one that is there is kept as it is, anything else in its place is refused. */
function makeParents(root: string, path: string): void {
  if (path === '.') return;
  makeParents(root, dirname(path));
  const full = join(root, path);
  const there = lstatSync(full, { throwIfNoEntry: false });
  if (there && !there.isDirectory()) throw new Taken(path);
  if (!there) mkdirSync(full);
}

/** A whole copy, or a link, beside where it will be. */
async function fetch(target: Target, path: string, at: string, version: Version, mode: number): Promise<string> {
  const part = join(target.root, dirname(at), partName(target, at, target.epoch));
  await target.step(`fetch ${at}`);
  for (let epoch = 1; epoch <= target.epoch; epoch++) {
    rmSync(join(target.root, dirname(at), partName(target, at, epoch)), { force: true });
  }
  if (version.kind === 'link') {
    symlinkSync(version.target, part);
    return part;
  }
  if (version.kind === 'directory') throw new TypeError('a directory is not fetched');
  await copy(join(target.tree, path), part, version.sha256, mode);
  await target.step(`fetched ${at}`);
  return part;
}

/** The same for every try of a watcher, so that the next one finds what a dead one left. */
function partName({ run }: Target, at: string, epoch: number): string {
  return `.errand-${run}-${epoch}-${sha256(Buffer.from(at)).slice(0, 12)}.part`;
}

async function copy(from: string, to: string, expected: string, mode: number): Promise<void> {
  await using source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => {
    throw new StageDamaged(from);
  });
  await using file = await open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  const hash = createHash('sha256');
  for await (const bytes of source.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 })) {
    hash.update(bytes as Buffer);
    await file.writeFile(bytes as Buffer);
  }
  if (hash.digest('hex') !== expected) {
    rmSync(to, { force: true });
    throw new StageDamaged(from);
  }
  await file.chmod(mode & 0o777);
}

/** A second name cannot replace anything; a file system without them gets a rename after a look. */
function show(part: string, full: string): void {
  try {
    linkSync(part, full);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') throw error;
    if (lstatSync(full, { throwIfNoEntry: false })) throw new Taken(full);
    renameSync(part, full);
  }
}

function orTaken(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new Taken();
    throw error;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
