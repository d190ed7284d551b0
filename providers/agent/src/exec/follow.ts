import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask, JobExit, LogChunk } from '@errand/contract';
import { readFrames } from './output.ts';
import { mayLive, readAsked, readEnd } from './spool.ts';

const lookEvery = 50;

/** Undefined while somebody carries the call. */
function endOf(dir: string, key: string): JobExit | undefined {
  const before = readEnd(dir);
  if (before) return before;
  const asked = readAsked(dir);
  if (asked && mayLive(asked.carrier)) return undefined;
  if (!asked && !existsSync(dir)) return { kind: 'lost', evidence: `nobody here has ever called for the job ${key}` };
  // It may have ended while we looked.
  const evidence = asked
    ? `the process ${asked.carrier.pid} that carried its call is dead, and the call ended with it`
    : 'the process that was about to call for it is dead, or has not called yet';
  return readEnd(dir) ?? { kind: 'lost', evidence };
}

/** The moment between claiming a job and writing down who carries it is short; after this long it is no moment. */
const patience = 2_000;

export async function waitForEnd(dir: string, key: string, ask: Ask): Promise<JobExit> {
  for (let since = Date.now(); ;) {
    ask.signal.throwIfAborted();
    const end = endOf(dir, key);
    const settling = end?.kind === 'lost' && existsSync(dir) && !readAsked(dir) && Date.now() - since < patience;
    if (end && !settling) return end;
    if (!end) since = Date.now();
    await sleep(lookEvery, undefined, { signal: ask.signal }).catch(() => undefined);
  }
}

export async function* followOutput(dir: string, key: string, after: string | undefined, ask: Ask): AsyncGenerator<LogChunk> {
  let offset = Number(after ?? 0) || 0;
  for (;;) {
    ask.signal.throwIfAborted();
    // Looked at before the output is read: what came before the end is then all there.
    const over = endOf(dir, key) !== undefined;
    for (const { stream, bytes, cursor, next } of readFrames(dir, offset)) {
      offset = next;
      yield { stream, bytes, cursor };
    }
    if (over) return;
    await sleep(lookEvery, undefined, { signal: ask.signal }).catch(() => undefined);
  }
}
