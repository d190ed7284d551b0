// Spare places: the directories of released places, emptied and kept for the next ones. On some file systems a new file
// or directory costs a hundred times more than a new name, and most places live for a moment only.
//
//   spares/<random>/place.json work/ spare.job spare.out spare.err     nothing in them is read again
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf, isAbsent, temporaryName } from './files.ts';

/** As many as runs are likely to go on at once; more would only lie around. */
const most = 16;
/** Bytes of a record that is written over rather than cut. */
const blankable = 8 * 1024;
/** Bytes of output that are cut off rather than removed with their file. */
const cuttable = 1024 * 1024;
const sparesDir = (home: string) => join(home, 'spares');

/** Makes a spare of a place that is out of sight already; false when it is not a plain one and must be removed. */
export function keepSpare(home: string, away: string): boolean {
  try {
    if (!isPlain(away) || spares(home).length >= most) return false;
    for (const name of readdirSync(away)) empty(away, name);
    chmodSync(join(away, 'work'), 0o700);
    mkdirSync(sparesDir(home), { recursive: true, mode: 0o700 });
    renameSync(away, join(sparesDir(home), basename(away)));
    return true;
  } catch {
    // Whatever a job did to it, removing it copes with that.
    return false;
  }
}

function isPlain(away: string): boolean {
  const work = join(away, 'work');
  if (!lstatSync(work).isDirectory() || readdirSync(work).length > 0) return false;
  const names = readdirSync(away);
  // Giving much output back takes its time, which is not to be spent in the middle of everything else.
  const large = names.some((name) => /\.(out|err)$/.test(name) && isLarge(join(away, name)));
  return !large && names.filter((name) => name.endsWith('.job')).length <= 1;
}

/** Output that somebody else has linked costs nothing to let go, whatever its size. */
function isLarge(path: string): boolean {
  const { nlink, size } = statSync(path);
  return size > cuttable && nlink === 1;
}

function empty(away: string, name: string): void {
  if (name === 'work') return;
  const path = join(away, name);
  const kind = /\.(job|out|err)$/.exec(name)?.[0];
  if (kind === undefined && name !== 'place.json') {
    unlinkSync(path);
    return;
  }
  if (kind === '.job') blank(path);
  else if (kind !== undefined) {
    const { nlink, size } = statSync(path);
    // Somebody keeps the output under a name of his own: it is his now.
    if (nlink > 1) {
      unlinkSync(path);
      return;
    }
    if (size > 0) truncateSync(path);
  }
  if (kind !== undefined) renameSync(path, join(away, `spare${kind}`));
}

/** A blank line means nothing in a record, and writing over a block is cheaper than giving it back and taking a new one. */
function blank(path: string): void {
  const { size } = statSync(path);
  if (size > blankable) truncateSync(path);
  else if (size > 0) writeFileSync(path, `${' '.repeat(size - 1)}\n`, { flag: 'r+' });
}

/** Writes over what a spare's file held, for the same reason; blanks at the end mean nothing in JSON. */
export function writeOver(path: string, text: string): void {
  writeFileSync(path, text.padEnd(statSync(path).size), { flag: 'r+' });
}

/** Moves a spare to `draft`; false when there is none. The move decides between two that want the same one. */
export function takeSpare(home: string, draft: string): boolean {
  return spares(home).some((name) => moved(join(sparesDir(home), name), draft));
}

/** The place's spare record gets this name, unless the name is taken; undefined when there is no spare. */
export function linkSpare(dir: string, path: string): boolean | undefined {
  const own = temporaryName(path);
  if (!moved(join(dir, 'spare.job'), own)) return undefined;
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    return undefined;
  } finally {
    unlinkSync(own);
  }
}

/** For a file that nobody else makes: the spare one becomes it, if there is one. */
export function moveSpare(dir: string, kind: 'out' | 'err', path: string): void {
  moved(join(dir, `spare.${kind}`), path);
}

function spares(home: string): string[] {
  try {
    return readdirSync(sparesDir(home));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
