import { constants } from 'node:os';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { JobExit } from '@errand/contract';
import { JobState } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import type { JobStatusReplySchema } from '../gen/workflow/plugin/external/iac/iac_pb.js';

type Status = Omit<MessageInitShape<typeof JobStatusReplySchema>, 'handle' | '$typeName'>;

export const running: Status = { state: JobState.RUNNING };

/** An exit of ours in the few words that the public contract has. What ended by force after a request was cancelled. */
export function sendEnd(exit: JobExit, wasCancelled: boolean): Status {
  switch (exit.kind) {
    case 'exited':
      return { state: exit.code === 0 ? JobState.SUCCEEDED : JobState.FAILED, exitCode: exit.code };
    case 'signalled': {
      const state = wasCancelled ? JobState.CANCELLED : JobState.FAILED;
      return { state, exitCode: 128 + numberOf(exit.signal), message: `ended by ${exit.signal}` };
    }
    case 'timed-out':
      return { state: JobState.FAILED, exitCode: 124, message: 'ended at its deadline' };
    case 'lost':
      return { state: JobState.FAILED, exitCode: 1, message: `it is gone: ${exit.evidence}` };
    case 'errored':
      return { state: JobState.FAILED, exitCode: 1, message: `${exit.reason}: ${exit.message}` };
  }
}

function numberOf(signal: string): number {
  return constants.signals[signal as NodeJS.Signals] ?? 0;
}
