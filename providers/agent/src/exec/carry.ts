// One call of SandboxExecService from its beginning to its end. It is made once: what happened to it when it broke is not
// known, so the job is then lost, with what is known as evidence.
import { status } from '@grpc/grpc-js';
import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import type { SandboxExecChunk } from '@errand/plugin';
import type { JobExit, Reason } from '@errand/contract';
import { record } from './output.ts';
import { isToStop, writeEnd } from './spool.ts';

const lookEvery = 200;

/** These come before anything ran. RESOURCE_EXHAUSTED does not: an answer that is too large looks the same. */
const refusals: Partial<Record<status, Reason>> = {
  [status.UNAUTHENTICATED]: 'auth',
  [status.PERMISSION_DENIED]: 'auth',
  [status.INVALID_ARGUMENT]: 'config',
  [status.FAILED_PRECONDITION]: 'config',
  [status.UNIMPLEMENTED]: 'config',
};

export async function carry(dir: string, address: string, call: ClientReadableStream<SandboxExecChunk>): Promise<void> {
  const startedAt = Date.now();
  let stopped = false;
  let said = false;
  const look = setInterval(() => {
    if (!isToStop(dir)) return;
    stopped = true;
    call.cancel();
  }, lookEvery);
  const times = () => ({ startedAt, endedAt: Date.now() });
  try {
    using log = record(dir);
    for await (const { chunk } of call as AsyncIterable<SandboxExecChunk>) {
      if (chunk.case === 'exitCode') return writeEnd(dir, { kind: 'exited', code: chunk.value, ...times() });
      said = true;
      if (chunk.case !== undefined) log.write(chunk.case, chunk.value);
    }
    writeEnd(dir, { ...lost(`the agent at ${address} ended the call without an exit code`), ...times() });
  } catch (error) {
    writeEnd(dir, { ...explain(address, error, stopped, said), ...times() });
  } finally {
    clearInterval(look);
    call.cancel();
  }
}

function explain(address: string, error: unknown, stopped: boolean, said: boolean): JobExit {
  if (stopped) return lost(`its call was cancelled, which ends it; the agent at ${address} does not confirm that`);
  const code = (error as Partial<ServiceError>).code;
  const details = (error as Partial<ServiceError>).details ?? (error as Error).message;
  const reason = code === undefined || said ? undefined : refusals[code];
  if (reason) return { kind: 'errored', reason, message: `the agent at ${address} refused it: ${details}` };
  const name = code === undefined ? 'unknown' : status[code];
  return lost(`the call to the agent at ${address} broke (${name}: ${details}); whether the command ran on is not known`);
}

const lost = (evidence: string): JobExit => ({ kind: 'lost', evidence });
