// The log promise on a call that has no cursor: each reading begins at the first byte, and what was given is passed over.
// One that began after the end was seen has everything; one that began before may have missed the last bytes.
import { status } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Ask, LogChunk, Ref } from '@errand/contract';
import { IaCProviderRunner } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { serverStream } from '../wire/link.ts';
import { cursorOf, readCursor } from './cursor.ts';
import type { Given } from './cursor.ts';
import { sendHandle } from './job-handle.ts';
import { pause, pauseOf } from './parts.ts';
import type { JobParts } from './parts.ts';
import { createLookout, statusOf } from './status.ts';
import type { SentHandle } from './status.ts';
import { endBell, outputBell } from './wait.ts';

const mostTries = 5;

export async function* followLogs(
  parts: JobParts,
  job: Ref<'job'>,
  after: string | undefined,
  { signal }: Ask,
): AsyncGenerator<LogChunk, void, undefined> {
  const handle = sendHandle(job);
  const given = readCursor(after);
  const look = createLookout(parts, handle);
  const over = async () => (await look(signal)).exit !== undefined;
  let isOver = await over();
  for (let round = 0, tries = 1; ; round++) {
    const before = given.stdout + given.stderr;
    try {
      yield* readOnce(parts, handle, given, signal);
      if (isOver) return;
    } catch (error) {
      signal.throwIfAborted();
      // While it runs, a plugin may have nothing to show yet, and says so in its own way.
      if (isOver && (isHopeless(error) || tries++ >= mostTries)) throw gone(parts, handle, error);
      if (isOver) await pause(pauseOf(parts.patience, tries), signal);
    }
    if (isOver) continue;
    parts.bells.ring(outputBell(handle.name));
    isOver = await over();
    if (isOver) continue;
    if (given.stdout + given.stderr > before) round = 0;
    await parts.bells.wait(endBell(handle.name), pauseOf(parts.patience, round), signal);
    isOver = await over();
  }
}

async function* readOnce(
  { link }: JobParts,
  handle: SentHandle,
  given: Given,
  signal: AbortSignal,
): AsyncGenerator<LogChunk, void, undefined> {
  const passed: Given = { stdout: 0, stderr: 0 };
  for await (const { data, source, eof } of serverStream(link, IaCProviderRunner.method.jobLogs, handle, signal)) {
    const stream = source.includes('stderr') ? 'stderr' : 'stdout';
    const known = Math.min(data.length, Math.max(0, given[stream] - passed[stream]));
    passed[stream] += data.length;
    if (known < data.length) {
      given[stream] += data.length - known;
      yield { stream, bytes: data.subarray(known), cursor: cursorOf(given) };
    }
    if (eof) return;
  }
}

function isHopeless(error: unknown): boolean {
  const code = statusOf(error);
  return code === status.NOT_FOUND || code === status.UNIMPLEMENTED;
}

/** The run can end without it: whoever keeps the log says that it may be incomplete. */
function gone({ link }: JobParts, { name }: SentHandle, error: unknown): unknown {
  if (!isHopeless(error)) return error;
  return new ErrandError('provider/not-found', `asked ${link.name} for the output of the job ${name}: it has none to give`, {
    cause: error,
  });
}
