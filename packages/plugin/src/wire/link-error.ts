import { status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { ErrandErrorOptions, ErrorCode } from '@errand/contract';
import { errorFrom } from './error-details.ts';
import { Malformed } from './malformed.ts';

/** What a status means when nobody sent the error itself: the far side's gRPC library, ours, or something in between. */
const meanings: Partial<Record<status, readonly [code: ErrorCode, options: ErrandErrorOptions]>> = {
  [status.UNAVAILABLE]: ['provider/unreachable', { next: 'Check that it is running and that the address is right.' }],
  // We did not cancel, so the far side or the line did.
  [status.CANCELLED]: ['provider/unreachable', {}],
  [status.ABORTED]: ['provider/unreachable', {}],
  [status.DEADLINE_EXCEEDED]: ['provider/timeout', {}],
  [status.UNAUTHENTICATED]: ['provider/auth', { next: 'Check the token or certificate.' }],
  [status.PERMISSION_DENIED]: ['provider/auth', { next: 'Check what the token or certificate allows.' }],
  [status.UNIMPLEMENTED]: ['environment/unsupported', { next: 'Check the address, and that both ends have the same version.' }],
  [status.RESOURCE_EXHAUSTED]: [
    'provider/failed',
    { next: 'If a message was too large, put large inputs into files of the workspace.' },
  ],
};

/** `verb` completes "asked NAME to …". */
export function linkError(name: string, verb: string, error: unknown): unknown {
  if (error instanceof Malformed) {
    return new ErrandError('provider/failed', `asked ${name} to ${verb}; its answer cannot be used: ${error.message}`, {
      next: 'Check that both ends have the same version.',
      cause: error,
    });
  }
  if (!isServiceError(error)) return error;
  const told = errorFrom(error.metadata, error);
  if (told) return told;
  const [code, options] = meanings[error.code] ?? ['provider/failed', {}];
  return new ErrandError(code, `asked ${name} to ${verb}; it failed: ${error.details} (${status[error.code]})`, {
    ...options,
    cause: error,
  });
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'metadata' in error;
}
