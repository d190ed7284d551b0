import type { JobExit } from '@errand/contract';

const names: Readonly<Record<number, string>> = { 9: 'SIGKILL', 15: 'SIGTERM' };

/** Reads the shim's record of an end (shim/job.h); undefined when it is none. */
export function exitFrom(words: string): JobExit | undefined {
  const numbers = words.split(' ').map(Number);
  const [code = 0, signal = 0, startedAt = 0, endedAt = 0, oom = 0, timedOut = 0, told = 0] = numbers;
  if (numbers.length !== 7 || numbers.some(Number.isNaN)) return undefined;
  const times = { startedAt, endedAt };
  if (oom > 0 && (code !== 0 || signal !== 0)) {
    return { kind: 'errored', reason: 'oom', message: 'it used more memory than it may, and was ended by the kernel', ...times };
  }
  if (timedOut > 0) return { kind: 'timed-out', ...times };
  // As with a container of its own: only what we sent is told as a signal.
  const name = names[signal];
  if (name !== undefined && told >= (signal === 9 ? 2 : 1)) return { kind: 'signalled', signal: name, ...times };
  return { kind: 'exited', code: signal > 0 ? 128 + signal : code, ...times };
}
