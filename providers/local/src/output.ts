// The output of a job that has secrets: through pipes, so that a value is masked before it rests on the disk.
// Without secrets the job writes into the files itself.
import type { ChildProcess } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createRedactor } from '@errand/contract';
import { codeOf } from './files.ts';

export interface Capture {
  write(stream: 'out' | 'err', text: string): void;
  /** Resolves when all that came is in the files. */
  close(): Promise<void>;
}

/** How long an unknown holder of the pipe may keep it open once nothing of the job is alive. */
const patience = 1_000;
/** Between two looks at whether a full disk has room again. */
const roomEvery = 200;

interface Piece {
  readonly stream: 'out' | 'err';
  bytes: Uint8Array;
}

export function captureOutput(
  secrets: readonly string[],
  files: { readonly out: number; readonly err: number },
  unwritable: (error: unknown) => void,
  child?: ChildProcess,
): Capture {
  const redactors = { out: createRedactor(secrets), err: createRedactor(secrets) };
  const sources = [child?.stdout, child?.stderr];
  const waiting: Piece[] = [];
  let broken = false;
  /** There while a full disk keeps us waiting. */
  let room: PromiseWithResolvers<void> | undefined;

  function put(stream: 'out' | 'err', bytes: Uint8Array): void {
    if (broken || bytes.length === 0) return;
    waiting.push({ stream, bytes });
    if (waiting.length === 1) write();
  }

  // Written synchronously: nothing more is read from the pipe meanwhile, so the job feels the disk's pace. On a full
  // disk nothing is read until there is room: the job is held up, and nothing of what it wrote is lost.
  function write(): void {
    try {
      for (let piece = waiting[0]; piece; piece = waiting[0]) {
        while (piece.bytes.length > 0) piece.bytes = piece.bytes.subarray(writeSync(files[piece.stream], piece.bytes));
        waiting.shift();
      }
      for (const source of sources) source?.resume();
    } catch (error) {
      if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') return waitForRoom();
      broken = true;
      waiting.length = 0;
      unwritable(error);
    }
    room?.resolve();
    room = undefined;
  }

  function waitForRoom(): void {
    room ??= Promise.withResolvers();
    for (const source of sources) source?.pause();
    setTimeout(write, roomEvery);
  }

  function drain(stream: 'out' | 'err', source: Readable | null | undefined): Promise<void> {
    if (!source) return Promise.resolve();
    source.on('data', (chunk: Buffer) => put(stream, redactors[stream].push(chunk).bytes));
    source.on('error', () => source.destroy());
    return new Promise((resolve) => {
      source.once('close', resolve);
    });
  }

  const drained = Promise.all([drain('out', child?.stdout), drain('err', child?.stderr)]);
  return {
    write: (stream, text) => put(stream, redactors[stream].push(Buffer.from(text)).bytes),
    async close() {
      const impatience = setInterval(() => {
        if (waiting.length === 0) for (const source of sources) source?.destroy();
      }, patience);
      await drained;
      clearInterval(impatience);
      for (const stream of ['out', 'err'] as const) put(stream, redactors[stream].flush().bytes);
      await room?.promise;
      for (const stream of ['out', 'err'] as const) closeSync(files[stream]);
    },
  };
}
