// The output of a job that has secrets: through pipes, so that a value is masked before it rests on the disk.
// Without secrets the job writes into the files itself.
import type { ChildProcess } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createRedactor } from '@errand/contract';

export interface Capture {
  write(stream: 'out' | 'err', text: string): void;
  /** Resolves when all that came is in the files. */
  close(): Promise<void>;
}

/** How long an unknown holder of the pipe may keep it open once nothing of the job is alive. */
const patience = 1_000;

export function captureOutput(
  secrets: readonly string[],
  files: { readonly out: number; readonly err: number },
  unwritable: (error: unknown) => void,
  child?: ChildProcess,
): Capture {
  const redactors = { out: createRedactor(secrets), err: createRedactor(secrets) };
  let broken = false;

  // Written synchronously: nothing more is read from the pipe meanwhile, so the job feels the disk's pace.
  function put(stream: 'out' | 'err', bytes: Uint8Array): void {
    if (broken) return;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(files[stream], bytes, at);
    } catch (error) {
      broken = true;
      unwritable(error);
    }
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
      const impatience = setTimeout(() => {
        child?.stdout?.destroy();
        child?.stderr?.destroy();
      }, patience);
      await drained;
      clearTimeout(impatience);
      for (const stream of ['out', 'err'] as const) {
        put(stream, redactors[stream].flush().bytes);
        closeSync(files[stream]);
      }
    },
  };
}
