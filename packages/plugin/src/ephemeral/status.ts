import { status } from '@grpc/grpc-js';
import { isErrandError } from '@errand/contract';
import type { JobExit } from '@errand/contract';
import { IaCProviderRunner, JobState } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import type { JobStatusReply } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { sentinelStatusIn } from '../iac/sentinels.ts';
import { isServiceError } from '../wire/link-error.ts';
import { unary } from '../wire/link.ts';
import type { sendHandle } from './job-handle.ts';
import type { JobParts } from './parts.ts';

export type SentHandle = ReturnType<typeof sendHandle>;

/** What the plugin's gRPC status was; undefined when the trouble is none of the plugin's. */
export function statusOf(error: unknown): status | undefined {
  const cause = isErrandError(error) ? error.cause : undefined;
  if (!isServiceError(cause)) return undefined;
  // Go plugins give errors of their platform as they are: the status says nothing, and the text has the sentinel.
  return cause.code === status.UNKNOWN ? (sentinelStatusIn(cause.details) ?? cause.code) : cause.code;
}

export function askStatus({ link, patience }: JobParts, handle: SentHandle, signal: AbortSignal): Promise<JobStatusReply> {
  return unary(link, IaCProviderRunner.method.jobStatus, handle, { signal, deadline: Date.now() + patience.answer });
}

/** Undefined while the job is not known to be over. */
export function exitOf({ state, exitCode, message }: JobStatusReply): JobExit | undefined {
  if (state === JobState.SUCCEEDED) return { kind: 'exited', code: exitCode };
  if (state === JobState.FAILED) return { kind: 'exited', code: exitCode > 0 ? exitCode : 1 };
  if (state !== JobState.CANCELLED) return undefined;
  if (exitCode > 0) return { kind: 'exited', code: exitCode };
  return { kind: 'lost', evidence: `the provider says that the job was cancelled${message === '' ? '' : `: ${message}`}` };
}

/** Statuses after which the same question may have another answer. */
const passing = new Set<status | undefined>([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.CANCELLED,
  status.INTERNAL,
  status.UNKNOWN,
]);
const mostTroubles = 5;

/** What a look found: nothing yet, or how the job ended. */
export type Found = { readonly exit?: JobExit; readonly message?: string };

/**
 * Looks at one job again and again. Passing trouble counts as nothing new until there was too much of it in a row; a job
 * that stays unknown is lost.
 */
export function createLookout(parts: JobParts, handle: SentHandle): (signal: AbortSignal) => Promise<Found> {
  let troubles = 0;
  let unknownSince: number | undefined;
  return async (signal) => {
    try {
      const reply = await askStatus(parts, handle, signal);
      troubles = 0;
      unknownSince = undefined;
      const exit = exitOf(reply);
      return exit ? { exit, message: reply.message } : {};
    } catch (error) {
      signal.throwIfAborted();
      const code = statusOf(error);
      if (code === status.NOT_FOUND) {
        unknownSince ??= performance.now();
        if (performance.now() - unknownSince < parts.patience.unknown) return {};
        return { exit: { kind: 'lost', evidence: `${parts.link.name} does not know the job ${handle.name}` } };
      }
      if (passing.has(code) && ++troubles < mostTroubles) return {};
      throw error;
    }
  };
}
