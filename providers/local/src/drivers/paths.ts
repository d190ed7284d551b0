import { existsSync, lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ErrandError } from '@errand/contract';
import { codeOf, isAbsent } from '../files.ts';
import { sha256, writeAtomically } from './records.ts';
import type { Records } from './records.ts';

/** A relative path stays below `root`, links included. An absolute one is taken at its word. */
export function placeOf(root: string, path: string): string {
  if (isAbsolute(path)) return resolve(path);
  const place = resolve(root, path);
  if (isBelow(root, place) && isBelow(realpathSync(root), realpathSync(nearest(dirname(place))))) return place;
  throw new ErrandError('provider/refused', `tried to use the path ${path}: it leads out of ${root}`, {
    next: 'Use a path below it, or an absolute one if that is what you want.',
  });
}

const isBelow = (root: string, path: string) => {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
};

function nearest(directory: string): string {
  return existsSync(directory) ? directory : nearest(dirname(directory));
}

/** Undefined when nothing is there. Links are not followed. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

const markOf = (records: Records, directory: string) => join(records.directory, 'made', `${sha256(directory)}.json`);

/** Makes what is missing on the way to `directory`, and remembers what was. */
export function makeWay(records: Records, directory: string): void {
  if (existsSync(directory)) return;
  makeWay(records, dirname(directory));
  const mark = markOf(records, directory);
  mkdirSync(dirname(mark), { recursive: true, mode: 0o700 });
  writeAtomically(mark, JSON.stringify({ directory }), 0o600);
  try {
    mkdirSync(directory);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Removes `directory` and those above it as long as they are empty and were made on the way. */
export function clearWay(records: Records, directory: string): void {
  const mark = markOf(records, directory);
  if (!existsSync(mark)) return;
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!isAbsent(error)) return;
  }
  rmSync(mark, { force: true });
  clearWay(records, dirname(directory));
}
