// The output of a job, from its pipes into its files. A secret's value is masked before it rests on the disk.
import { closeSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createRedactor } from '@errand/contract';
import { codeOf } from './files.ts';
import type { Pipe } from './pipes.ts';

type Kind = 'out' | 'err';

export interface Capture {
  write(stream: Kind, text: string): void;
  /** Resolves when all that came is in the files. */
  close(): Promise<void>;
}

export interface CaptureEvents {
  /** Nothing more is kept from here on. */
  unwritable(error: unknown): void;
  /** Nobody can write any more. Comes while a process whose end was the cause of it is not collected yet. */
  ended?(): void;
}

/** What the streams are read from: our pipe, or Node's own where there are none. */
export type Source = { readonly pipe: Pipe } | { readonly stream: Readable };

/** How long an unknown holder of the pipe may keep it open once nothing of the job is alive. */
const patience = 1_000;
/** Between two looks at whether a full disk has room again. */
const roomEvery = 200;
/** A pipe holds this much. What is read is dealt with at once, so one buffer serves all jobs. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

interface Piece {
  readonly stream: Kind;
  readonly bytes: Uint8Array;
}

export function captureOutput(
  secrets: readonly string[],
  files: Readonly<Record<Kind, number>>,
  events: CaptureEvents,
  from: Partial<Readonly<Record<Kind, Source>>> = {},
): Capture {
  const redactors = { out: createRedactor(secrets), err: createRedactor(secrets) };
  const waiting: Piece[] = [];
  const sources: Readable[] = [];
  let broken = false;
  let unended = 0;
  /** There while a full disk keeps us waiting. */
  let room: PromiseWithResolvers<void> | undefined;

  /** False when it has to wait; nothing more may be read then. */
  function put(stream: Kind, bytes: Uint8Array): boolean {
    if (broken || bytes.length === 0) return true;
    const rest = room ? bytes : write({ stream, bytes });
    if (!rest) return true;
    // The buffer is used again while this waits.
    waiting.push({ stream, bytes: Buffer.from(rest) });
    waitForRoom();
    return false;
  }

  // Written synchronously: nothing more is read from the pipe meanwhile, so the job feels the disk's pace. On a full
  // disk nothing is read until there is room: the job is held up, and nothing of what it wrote is lost.
  function write({ stream, bytes }: Piece): Uint8Array | undefined {
    let left = bytes;
    try {
      while (left.length > 0) left = left.subarray(writeSync(files[stream], left));
      return undefined;
    } catch (error) {
      if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') return left;
      broken = true;
      events.unwritable(error);
      return undefined;
    }
  }

  function waitForRoom(): void {
    if (room) return;
    room = Promise.withResolvers();
    for (const source of sources) source.pause();
    setTimeout(tryAgain, roomEvery);
  }

  function tryAgain(): void {
    for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
      const rest = write(piece);
      if (!rest) continue;
      waiting.unshift({ stream: piece.stream, bytes: rest });
      setTimeout(tryAgain, roomEvery);
      return;
    }
    room?.resolve();
    room = undefined;
    for (const source of sources) source.resume();
  }

  const take = (stream: Kind, bytes: Uint8Array) => put(stream, redactors[stream].push(bytes).bytes);

  function drain(stream: Kind, source: Source | undefined): Promise<void> {
    if (!source) return Promise.resolve();
    const readable = 'pipe' in source ? readPipe(source.pipe, (bytes) => take(stream, bytes)) : source.stream;
    if ('stream' in source) readable.on('data', (chunk: Buffer) => take(stream, chunk));
    sources.push(readable);
    unended++;
    readable.once('end', () => {
      unended--;
      if (unended === 0) events.ended?.();
    });
    readable.on('error', () => readable.destroy());
    return new Promise((resolve) => {
      readable.once('close', resolve);
    });
  }

  const drained = Promise.all([drain('out', from.out), drain('err', from.err)]);
  return {
    write: (stream, text) => void take(stream, Buffer.from(text)),
    async close() {
      const impatience = setInterval(() => {
        if (!room) for (const source of sources) source.destroy();
      }, patience);
      await drained;
      clearInterval(impatience);
      for (const stream of ['out', 'err'] as const) put(stream, redactors[stream].flush().bytes);
      await room?.promise;
      for (const stream of ['out', 'err'] as const) closeSync(files[stream]);
    },
  };
}

function readPipe(pipe: Pipe, take: (bytes: Uint8Array) => boolean): Socket {
  const options = { fd: pipe.reader, readable: true, writable: false };
  const socket = new Socket({ ...options, onread: { buffer, callback: (size, bytes) => take(bytes.subarray(0, size)) } });
  socket.once('end', () => pipe.reuse());
  // Nothing comes this way; it is how the end is heard of.
  socket.resume();
  return socket;
}
