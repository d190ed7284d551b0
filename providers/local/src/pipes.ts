// Real pipes for the output of jobs. A file would be cut off by `> /dev/stdout`, and what Node calls a pipe is a socket,
// which `> /dev/stderr` cannot open. Node makes no pipes itself, so named ones are made, opened and unnamed; each is used
// again by later jobs, because making one takes a process.
import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One job's stream: it writes, we read. */
export interface Pipe {
  readonly reader: number;
  readonly writer: number;
  /** Gives the pipe to the next job. Only when the reader has seen its end: until then somebody may still write. */
  reuse(): void;
}

export interface Pipes {
  /** Undefined where there are none to be had. */
  take(): Pipe | undefined;
}

/** How many are made when none is left. The first job of a short-lived process needs two. */
const first = 2;
const batch = 16;

export function createPipes(): Pipes {
  // Readers that only keep the pipe in existence; they see no end and take no bytes.
  const keepers: number[] = process.platform === 'linux' ? makePipes(first) : [];
  let usable = keepers.length > 0;

  function open(keeper: number): Pipe {
    const path = `/proc/self/fd/${keeper}`;
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return { reader, writer: openSync(path, constants.O_WRONLY), reuse: () => void keepers.push(keeper) };
    } catch (error) {
      closeSync(reader);
      throw error;
    }
  }

  return {
    take() {
      if (usable && keepers.length === 0) keepers.push(...makePipes(batch));
      const keeper = keepers.pop();
      if (keeper === undefined) return undefined;
      try {
        return open(keeper);
      } catch {
        // No /proc, or no descriptors left: the next best thing serves.
        usable = false;
        return undefined;
      }
    },
  };
}

function makePipes(count: number): number[] {
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(tmpdir(), 'errand-pipes-'));
    const paths = Array.from({ length: count }, (_, index) => join(directory ?? '', String(index)));
    if (spawnSync('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' }).status !== 0) return [];
    return paths.map((path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  } catch {
    return [];
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}
