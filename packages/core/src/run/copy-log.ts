import { createRedactor } from '@errand/contract';
import type { LogChunk, Redactor, Stream } from '@errand/contract';
import type { LogWriter } from '../logs/port.ts';
import type { SourcePosition } from '../model/run.ts';

/** Writes what the source gives and yields the position that is safe by then. */
export async function* copyLog(
  source: AsyncIterable<LogChunk>,
  writer: LogWriter,
  secrets: readonly string[],
  from: SourcePosition | undefined,
): AsyncIterable<SourcePosition> {
  const redactors = { stdout: createRedactor(secrets), stderr: createRedactor(secrets) };
  const held = { stdout: 0, stderr: 0 };
  const toSkip = { stdout: from?.skip.stdout ?? 0, stderr: from?.skip.stderr ?? 0 };
  let base = from?.cursor;
  let past = { stdout: toSkip.stdout, stderr: toSkip.stderr };

  for await (const chunk of source) {
    const { stream } = chunk;
    const known = Math.min(toSkip[stream], chunk.bytes.length);
    toSkip[stream] -= known;
    const fresh = known === 0 ? chunk.bytes : chunk.bytes.subarray(known);
    const { bytes, consumed } = redactors[stream].push(fresh);
    held[stream] += fresh.length - consumed;
    past = { ...past, [stream]: past[stream] + consumed };
    const clean = held.stdout + held.stderr + toSkip.stdout + toSkip.stderr === 0;
    if (clean) {
      base = chunk.cursor;
      past = { stdout: 0, stderr: 0 };
    }
    if (bytes.length === 0) continue;
    const position = { cursor: base, skip: past };
    // The provider's file holds what it gave; a redactor that may change something gives other bytes.
    const local = secrets.length === 0 && chunk.local;
    await writer.append(stream, bytes, position, local ? { ...local, offset: local.offset + known } : undefined);
    yield position;
  }
  yield* rest(redactors, writer, base, past);
}

/** What was held back because it might have become a secret. */
async function* rest(
  redactors: Readonly<Record<Stream, Redactor>>,
  writer: LogWriter,
  cursor: string | undefined,
  past: { stdout: number; stderr: number },
): AsyncIterable<SourcePosition> {
  let skip = past;
  for (const stream of ['stdout', 'stderr'] as const) {
    const { bytes, consumed } = redactors[stream].flush();
    skip = { ...skip, [stream]: skip[stream] + consumed };
    if (bytes.length === 0) continue;
    await writer.append(stream, bytes, { cursor, skip });
    yield { cursor, skip };
  }
}
