import { status } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Call, Ref } from '@errand/contract';
import { IaCProviderJobCanceler } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { unary } from '../wire/link.ts';
import { sendHandle } from './job-handle.ts';
import type { JobParts } from './parts.ts';
import { askStatus, exitOf, statusOf } from './status.ts';
import type { SentHandle } from './status.ts';

/** There is one way to end a job, or none. Without one the job is left to those who can, and the caller is told so. */
export async function stopJob(parts: JobParts, job: Ref<'job'>, { signal }: Call): Promise<void> {
  const handle = sendHandle(job);
  const failure = parts.canCancel ? await cancel(parts, handle, signal) : undefined;
  if (parts.canCancel && failure === undefined) return;
  if (await isGone(parts, handle, signal)) return;
  if (failure !== undefined && statusOf(failure) !== status.UNIMPLEMENTED) throw failure;
  const { name } = parts.link;
  throw new ErrandError(
    'environment/unsupported',
    `tried to cancel the job ${handle.name}: the plugin of ${name} has no call for that, so the job goes on`,
    { next: `Cancel ${handle.name} at the provider itself, or wait for its end; it stays in the list of runs until then.` },
  );
}

/** What stood in the way; undefined when the request was delivered. */
async function cancel({ link, patience }: JobParts, handle: SentHandle, signal: AbortSignal): Promise<Error | undefined> {
  try {
    await unary(link, IaCProviderJobCanceler.method.cancelJob, handle, { signal, deadline: Date.now() + patience.answer });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error as Error;
  }
}

async function isGone(parts: JobParts, handle: SentHandle, signal: AbortSignal): Promise<boolean> {
  try {
    return exitOf(await askStatus(parts, handle, signal)) !== undefined;
  } catch (error) {
    signal.throwIfAborted();
    return statusOf(error) === status.NOT_FOUND;
  }
}
