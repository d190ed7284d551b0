import type { MessageInitShape } from '@bufbuild/protobuf';
import type { JobEnd, JobExit, Reason } from '@errand/contract';
import type { JobExit as JobExitMessage, JobExitSchema } from '../gen/errand/v1/runner_pb.js';
import { Malformed } from './malformed.ts';
import { optional } from './values.ts';

const reasons: Record<Reason, true> = {
  image: true,
  quota: true,
  capacity: true,
  auth: true,
  network: true,
  oom: true,
  preempted: true,
  config: true,
  workspace: true,
  provider: true,
  internal: true,
};

export function sendExit(exit: JobExit): MessageInitShape<typeof JobExitSchema> {
  return { end: sendEnd(exit), ...optional({ startedAt: exit.startedAt, endedAt: exit.endedAt }) };
}

function sendEnd(end: JobEnd): NonNullable<MessageInitShape<typeof JobExitSchema>['end']> {
  switch (end.kind) {
    case 'exited':
      return { case: 'exited', value: { code: BigInt(end.code) } };
    case 'signalled':
      return { case: 'signalled', value: { signal: end.signal } };
    case 'timed-out':
      return { case: 'timedOut', value: {} };
    case 'lost':
      return { case: 'lost', value: { evidence: end.evidence } };
    case 'errored':
      return { case: 'errored', value: { reason: end.reason, message: end.message } };
  }
}

export function readExit(message: JobExitMessage): JobExit {
  const { startedAt, endedAt } = message;
  return { ...readEnd(message.end), ...optional({ startedAt, endedAt }) };
}

function readEnd(end: JobExitMessage['end']): JobEnd {
  switch (end.case) {
    case 'exited':
      return { kind: 'exited', code: Number(end.value.code) };
    case 'signalled':
      return { kind: 'signalled', signal: end.value.signal };
    case 'timedOut':
      return { kind: 'timed-out' };
    case 'lost':
      return { kind: 'lost', evidence: end.value.evidence };
    case 'errored':
      return { kind: 'errored', reason: readReason(end.value.reason), message: end.value.message };
    case undefined:
      throw new Malformed('the exit does not say how the job ended');
  }
}

function readReason(text: string): Reason {
  return Object.hasOwn(reasons, text) ? (text as Reason) : 'provider';
}
