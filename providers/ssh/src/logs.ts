// Following a job's output: the far side's stdout and stderr are the job's, from a position on in each. What was given is
// counted here, so after a cut the next call goes on where this one was.
import { ErrandError } from '@errand/contract';
import type { Ask, LogChunk, Ref, Stream } from '@errand/contract';
import { answerError, answerIn, isRefusal, NoAnswer, said } from './answer.ts';
import { parseCursor, writeCursor } from './cursor.ts';
import type { Positions } from './cursor.ts';
import type { Channel } from './client.ts';
import type { Hosts } from './hosts.ts';
import { locate } from './job.ts';
import type { LocatedJob } from './job.ts';
import { merge } from './merge.ts';
import { createPatience, pause } from './patience.ts';
import { connectionError } from './remote.ts';

/** How a call to `follow` ends: all was given, or not yet. Anything else: there is nothing to follow. */
const whole = 0;
const goesOn = 75;
/** Between two looks when there is no room for one more that follows there. */
const lookEvery = 500;

/** The signal ends the following with its reason, never the job. */
export async function* logs(hosts: Hosts, ref: Ref<'job'>, after: string | undefined, ask: Ask): AsyncGenerator<LogChunk> {
  let positions = parseCursor(after);
  const patience = createPatience();
  for (;;) {
    ask.signal.throwIfAborted();
    try {
      const job = await locate(hosts, ref, ask.signal);
      if (!job) return;
      await using call = await follow(job, positions, ask.signal);
      for await (const [stream, bytes] of streams(call.channel)) {
        positions = { ...positions, [stream]: positions[stream] + bytes.length };
        patience.reset();
        yield { stream, bytes, cursor: writeCursor(positions) };
      }
      const code = await call.channel.exit;
      ask.signal.throwIfAborted();
      if (code !== goesOn) return endOf(ref, code);
      if (!call.long) await pause(lookEvery, ask.signal);
    } catch (error) {
      ask.signal.throwIfAborted();
      if (isRefusal(error, said.gone) && ref.handle === undefined && after === undefined) return;
      await patience.bear(answerError(`tried to follow the output of ${ref.key}`, error), ask.signal);
    }
  }
}

function endOf(ref: Ref<'job'>, code: number | undefined): void {
  if (code === whole || ref.handle === undefined) return;
  throw new ErrandError('provider/not-found', `tried to follow the output of ${ref.key}: it is not there any more`);
}

interface Following extends AsyncDisposable {
  readonly channel: Channel;
  readonly long: boolean;
}

async function follow(job: LocatedJob, positions: Positions, signal: AbortSignal): Promise<Following> {
  const args = [job.owner, job.place, job.job, positions.stdout, positions.stderr];
  const waiting = await job.remote.openLong('follow', [...args, 0], signal);
  const channel = waiting ?? (await job.remote.open('follow', [...args, 1], signal));
  const abort = () => void channel[Symbol.asyncDispose]();
  signal.addEventListener('abort', abort, { once: true });
  return {
    channel: reported(job, channel),
    long: waiting !== undefined,
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', abort);
      await channel[Symbol.asyncDispose]();
    },
  };
}

/** A cut connection as the contract's error, wherever it is noticed. */
function reported({ remote }: LocatedJob, channel: Channel): Channel {
  async function* translated(source: AsyncIterable<Uint8Array>) {
    try {
      yield* source;
    } catch (error) {
      throw connectionError(remote.target, error);
    }
  }
  const exit = channel.exit.catch((error: unknown) => {
    throw connectionError(remote.target, error);
  });
  exit.catch(() => undefined);
  return { ...channel, exit, stdout: translated(channel.stdout), stderr: translated(channel.stderr) };
}

async function* streams(channel: Channel): AsyncGenerator<readonly [Stream, Uint8Array]> {
  async function* named(stream: Stream, source: AsyncIterable<Uint8Array>) {
    try {
      for await (const bytes of answerIn(source)) yield [stream, bytes] as const;
    } catch (error) {
      // A refusal is said on stdout only; a cut before the answer looks like none.
      if (!(error instanceof NoAnswer)) throw error;
      await channel.exit;
      if (stream === 'stdout') throw error;
    }
  }
  yield* merge([named('stdout', channel.stdout), named('stderr', channel.stderr)]);
}
