import { existsSync } from 'node:fs';
import type { Ask, JobExit, Ref } from '@errand/contract';
import { answerOf, isRefusal, said } from './answer.ts';
import type { Hosts } from './hosts.ts';
import { cancelledFile, locate } from './job.ts';
import type { LocatedJob } from './job.ts';
import { nameOf } from './layout.ts';
import { accountOf } from './options.ts';
import { createPatience, pause } from './patience.ts';
import { reporting } from './remote.ts';

/** Between two looks when there is no room for one more that waits there. */
const lookEvery = 1_000;

/** The signal ends the waiting, never the job. */
export async function wait(hosts: Hosts, ref: Ref<'job'>, ask: Ask): Promise<JobExit> {
  const patience = createPatience();
  for (;;) {
    ask.signal.throwIfAborted();
    try {
      const job = await locate(hosts, ref, ask.signal);
      if (!job) return withoutJob(hosts, ref, 'no machine that was ever used has it');
      const exit = await observe(job, ask.signal);
      if (exit) return exit;
      patience.reset();
    } catch (error) {
      const gone = isRefusal(error, said.gone) ? 'its place was released, or expired' : undefined;
      const evidence = isRefusal(error, said.neverStarted) ? 'it was never started' : gone;
      if (evidence !== undefined) return withoutJob(hosts, ref, evidence);
      await patience.bear(error, ask.signal);
    }
  }
}

function withoutJob(hosts: Hosts, ref: Ref<'job'>, evidence: string): JobExit {
  if (existsSync(cancelledFile(hosts.home, nameOf(ref.key)))) return { kind: 'signalled', signal: 'SIGTERM' };
  return { kind: 'lost', evidence: `there is no job ${ref.key}: ${evidence}` };
}

/** Undefined when it goes on. */
async function observe(job: LocatedJob, signal: AbortSignal): Promise<JobExit | undefined> {
  const args = [job.owner, job.place, job.job];
  const answer = await waitThere(job, [...args, 0], signal);
  if (answer !== undefined) return parseExit(job, answer);
  const once = await job.remote.call('wait', [...args, 1], { signal });
  if (once === '') await pause(lookEvery, signal);
  return parseExit(job, once);
}

/** The far side waits and tells; undefined when there is no room for that. */
function waitThere(job: LocatedJob, args: readonly (string | number)[], signal: AbortSignal): Promise<string | undefined> {
  return reporting(job.remote.target, async () => {
    await using channel = await job.remote.openLong('wait', args, signal);
    if (!channel) return undefined;
    // Its stdin stays open: when that ends, so does the waiting there.
    const abort = () => void channel[Symbol.asyncDispose]();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const parts: Uint8Array[] = [];
      for await (const bytes of answerOf(channel)) parts.push(bytes);
      await channel.exit;
      return Buffer.concat(parts).toString();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  });
}

/** Four lines: kind, value, start and end in milliseconds (0: not known). Nothing when it goes on. */
export function parseExit({ remote }: Pick<LocatedJob, 'remote'>, answer: string): JobExit | undefined {
  if (answer === '') return undefined;
  const [kind = '', value = '', startedAt = '', endedAt = ''] = answer.split('\n');
  const times = {
    ...(Number(startedAt) > 0 ? { startedAt: Number(startedAt) } : {}),
    ...(Number(endedAt) > 0 ? { endedAt: Number(endedAt) } : {}),
  };
  if (kind === 'exited' && /^\d+$/.test(value)) return { kind, code: Number(value), ...times };
  if (kind === 'signalled') return { kind, signal: value, ...times };
  if (kind === 'timed-out') return { kind, ...times };
  if (kind === 'unwritten') return { kind: 'errored', reason: 'provider', message: value, ...times };
  const evidence = kind === 'lost' ? value : `its record on ${accountOf(remote.target)} cannot be read`;
  return { kind: 'lost', evidence, ...times };
}
