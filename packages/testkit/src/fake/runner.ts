import { createRedactor } from '@errand/contract';
import type { Ask, Handle, JobExit, JobSpec, LogChunk, Ref, Runner, SecretCall, Seen } from '@errand/contract';
import type { FakeCloud } from './cloud.ts';
import { filesIn, placeId, streamed } from './host.ts';
import * as requests from './requests.ts';
import { readScript, unknownProgram } from './script.ts';
import type { JobRecord, JobScript } from './state.ts';
import { nextEnd, outputUntil, startsRunning } from './timeline.ts';

export function fakeRunner(cloud: FakeCloud, provider: string): Runner {
  const handle = (key: string): Handle<'job'> => ({ kind: 'job', provider, version: 1, state: key });
  const { nativeTimeout } = cloud.traits;

  return {
    async start(spec, call) {
      const secrets = await secretValues(spec, call);
      await cloud.manners.deliver('runner.start', call.signal, () =>
        cloud.step((state, now) => {
          const place = spec.place && placeId(spec.place);
          const files = place === undefined ? {} : filesIn(state, place, now);
          const read = (path: string) => files[path] && Buffer.from(files[path].content, 'base64').toString();
          const script = scriptOf(cloud, spec, secrets, read);
          const request = { now, key: call.key, epoch: call.epoch, nativeTimeout };
          return requests.start(state, request, { owner: spec.owner, place, script, timeout: spec.timeout });
        }),
      );
      await untilRunning(cloud, call.key, call.signal);
      return handle(call.key);
    },
    async wait(job, ask) {
      await cloud.manners.deliver('runner.wait', ask.signal, () => {});
      return waitFor(cloud, job.key, ask.signal);
    },
    logs: (job, after, ask) => follow(cloud, job, after, ask),
    stop: (job, how, call) =>
      cloud.manners.deliver('runner.stop', call.signal, () =>
        cloud.step((state, now) => {
          const request = { now, key: job.key, epoch: call.epoch, nativeTimeout };
          return requests.stop(state, request, how, cloud.traits.stopTakes);
        }),
      ),
    find: (owner, ask) =>
      streamed(cloud, 'runner.find', ask, () =>
        cloud.step((state, now) =>
          state.jobs
            .filter((job) => job.owner === owner && job.createdAt + cloud.traits.listLag <= now)
            .map((job): Seen<'job'> => ({ key: job.key, handle: handle(job.key), alive: job.ended === undefined })),
        ),
      ),
  };
}

async function secretValues(spec: JobSpec, call: SecretCall): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [name, reference] of Object.entries(spec.secretEnv)) values[name] = await call.secret(reference);
  return values;
}

/** Secret values are removed before the script rests anywhere. */
function scriptOf(
  cloud: FakeCloud,
  spec: JobSpec,
  secrets: Record<string, string>,
  read: (path: string) => string | undefined,
): JobScript {
  const input = { env: { ...spec.env, ...secrets }, read };
  const script = cloud.commands?.(spec.command, input) ?? readScript(spec.command, input) ?? unknownProgram(spec.command);
  const redactor = createRedactor(Object.values(secrets));
  return { ...script, output: script.output.map((piece) => ({ ...piece, text: redactor.text(piece.text) })) };
}

async function untilRunning(cloud: FakeCloud, key: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const left = cloud.step((state, now) => {
      const job = requests.findJob(state, key);
      if (!job || job.ended) return 0;
      return (startsRunning(job) ?? Infinity) - now;
    });
    if (left <= 0) return;
    await cloud.pause(left, signal);
  }
}

async function waitFor(cloud: FakeCloud, key: string, signal: AbortSignal): Promise<JobExit> {
  for (;;) {
    const seen = cloud.step((state, now) => {
      const job = requests.findJob(state, key);
      if (!job) return unknownJob;
      const place = state.places.find((candidate) => candidate.id === job.place);
      if (place?.goneAt !== undefined) return lostWith(place.goneBy ?? 'death');
      return job.ended ? exitOf(job, job.ended) : (nextEnd(job, cloud.traits.nativeTimeout)?.at ?? Infinity) - now;
    });
    if (typeof seen !== 'number') return seen;
    await cloud.pause(seen, signal);
  }
}

function exitOf(job: JobRecord, ended: NonNullable<JobRecord['ended']>): JobExit {
  const startedAt = startsRunning(job);
  return { ...ended.end, ...(startedAt !== undefined && startedAt <= ended.at && { startedAt }), endedAt: ended.at };
}

/** A place takes what is known of its jobs along. */
function lostWith(how: string): JobExit {
  return { kind: 'lost', evidence: `its place is gone (${how})` };
}

const unknownJob: JobExit = { kind: 'lost', evidence: 'the fake cloud knows no such job' };

/** A cursor is the number of bytes given so far, of both streams together. */
async function* follow(cloud: FakeCloud, job: Ref<'job'>, after: string | undefined, ask: Ask): AsyncIterable<LogChunk> {
  const manners = await cloud.manners.stream('runner.logs', ask.signal);
  let at = after === undefined ? 0 : Number(after);
  for (;;) {
    ask.signal.throwIfAborted();
    const seen = cloud.step((state, now) => {
      const record = requests.findJob(state, job.key);
      if (!record) return { chunks: [], wait: undefined };
      const gone = state.places.some((place) => place.id === record.place && place.goneAt !== undefined);
      const chunks = gone ? [] : chunksAfter(outputUntil(record, now - cloud.traits.logLag), at, cloud.traits.chunk);
      return { chunks, wait: gone ? undefined : nextOutput(cloud, record, now) };
    });
    for (const chunk of seen.chunks) {
      await manners.item();
      at = Number(chunk.cursor);
      yield chunk;
      ask.signal.throwIfAborted();
    }
    if (seen.wait === undefined) break;
    if (seen.chunks.length === 0) await cloud.pause(seen.wait, ask.signal);
  }
  await manners.end();
}

/** Milliseconds until there may be more; undefined when there will be none. */
function nextOutput(cloud: FakeCloud, job: JobRecord, now: number): number | undefined {
  const { logLag } = cloud.traits;
  if (job.ended && now >= job.ended.at + logLag) return undefined;
  const runsAt = startsRunning(job) ?? Infinity;
  const end = job.ended ?? nextEnd(job, cloud.traits.nativeTimeout);
  const times = [...job.script.output.map((piece) => runsAt + piece.at + logLag), (end?.at ?? Infinity) + logLag];
  return Math.min(...times.filter((time) => time > now)) - now;
}

function chunksAfter(pieces: JobScript['output'], after: number, size: number): LogChunk[] {
  const chunks: LogChunk[] = [];
  let position = 0;
  for (const piece of pieces) {
    const bytes = Buffer.from(piece.text);
    for (let from = Math.max(0, after - position); from < bytes.length; from += size) {
      const part = bytes.subarray(from, from + size);
      chunks.push({ stream: piece.stream, bytes: part, cursor: String(position + from + part.length) });
    }
    position += bytes.length;
  }
  return chunks;
}
