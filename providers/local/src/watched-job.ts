// One running job inside the supervisor, until nothing of it is alive.
//
//   running ─▶ main process ended ─▶ nothing alive ─▶ exit recorded
//      │ deadline, lease expiry, memory limit, unwritable output
//      └─▶ ask ─▶ grace ─▶ force, again and again until nothing is alive
//
// What the main process leaves running in the background is ended the same way, as a container would. The recorded
// exit is that of the main process, unless the supervisor had a cause of its own to end it: the first cause wins.
import type { ChildProcess } from 'node:child_process';
import type { JobEnd, JobExit } from '@errand/contract';
import { isEmptied, membersOf, signalMembers } from './members.ts';
import type { Capture, CaptureEvents } from './output.ts';
import { readPlace } from './place.ts';
import { memoryOf, realTimeSignalOf } from './processes.ts';
import type { Identity } from './processes.ts';
import type { StartRequest } from './protocol.ts';

const longestTimer = 3_600_000;
const memoryInterval = 100;
/** A job this short cannot have outlived a whole round of process numbers. */
const short = 1_000;

export interface WatchedJob {
  readonly request: StartRequest;
  readonly child: ChildProcess;
  readonly main: Identity;
  readonly startedAt: number;
  readonly expiresAt: number;
  readonly mains: Set<number>;
  readonly capture: (events: CaptureEvents) => Capture;
  readonly ended: (exit: JobExit) => void;
}

export function watchJob({ request, child, main, startedAt, expiresAt, mains, ...job }: WatchedJob): void {
  const marked = { mark: request.mark, main, groupIsOurs: true, sandboxed: request.sandbox !== undefined };
  const timers = new Set<NodeJS.Timeout>();
  let natural: JobEnd | undefined;
  let endedAt = 0;
  /**
   * Node has no names for real-time signals: an end by one of them reads as exit 0. The kernel tells the number between
   * the end of the output and Node's collecting the process. That moment is missed when the output stays open in the
   * background or was closed early, or when another job's end makes Node collect both: then exit 0 it remains.
   */
  let unnamed: string | undefined;
  let cause: JobEnd | undefined;
  let pressure: 'none' | 'asked' | 'forced' = 'none';
  let over = false;

  function after(ms: number, work: () => void): void {
    if (over) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  function end(how: 'ask' | 'force', why?: JobEnd): void {
    if (over) return;
    if (!natural) cause ??= why;
    if (how === 'ask' && pressure === 'none') {
      pressure = 'asked';
      signalMembers(marked, 'ask');
      after(Math.min(request.grace, longestTimer), () => end('force'));
    } else if (how === 'force' && pressure !== 'forced') {
      pressure = 'forced';
      force(20);
    }
  }

  function force(pause: number): void {
    signalMembers(marked, 'force');
    after(pause, () => force(Math.min(pause * 2, 1_000)));
  }

  function clearAway(pause: number): void {
    if (isEmptied(marked, endedAt - startedAt < short, mains)) {
      finish();
      return;
    }
    end('ask');
    after(pause, () => clearAway(Math.min(pause * 2, 100)));
  }

  function finish(): void {
    over = true;
    for (const timer of timers) clearTimeout(timer);
    const exit: JobExit = { ...(cause ?? natural ?? { kind: 'lost', evidence: 'no exit was seen' }), startedAt, endedAt };
    void capture.close().then(() => job.ended(exit));
  }

  function watchExpiry(until: number | undefined): void {
    const left = (until ?? 0) - Date.now();
    if (left > 0) {
      after(Math.min(left, longestTimer), () => watchExpiry(readPlace(request.placeDir)?.expiresAt));
      return;
    }
    const what = until === undefined ? 'its place was removed' : `the lease expired at ${new Date(until).toISOString()}`;
    end('ask', { kind: 'lost', evidence: `${what}, so the job was ended` });
  }

  function watchDeadline(timeout: number): void {
    const left = startedAt + timeout - Date.now();
    if (left > 0) after(Math.min(left, longestTimer), () => watchDeadline(timeout));
    else end('ask', { kind: 'timed-out' });
  }

  function watchMemory(limit: number): void {
    const used = membersOf(marked).reduce((sum, one) => sum + memoryOf(one.pid), 0);
    if (used <= limit) {
      after(memoryInterval, () => watchMemory(limit));
      return;
    }
    const message = `the job used ${used} bytes of memory, more than its limit of ${limit}`;
    end('force', { kind: 'errored', reason: 'oom', message });
  }

  const capture = job.capture({
    unwritable: (error) =>
      end('force', { kind: 'errored', reason: 'internal', message: `its output could not be written: ${String(error)}` }),
    ended: () => void (unnamed = realTimeSignalOf(main.pid)),
  });
  child.on('error', () => undefined);
  child.once('exit', (code, signal) => {
    natural = naturalEnd(code, signal ?? unnamed);
    endedAt = Date.now();
    mains.delete(main.pid);
    clearAway(5);
  });
  watchExpiry(expiresAt);
  if (request.timeout !== undefined) watchDeadline(request.timeout);
  if (request.memory !== undefined) watchMemory(request.memory);
}

function naturalEnd(code: number | null, signal: string | undefined): JobEnd {
  return signal === undefined ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal };
}
