// How errors cross: the whole ErrandError in trailing metadata, and a status code for those who cannot read it.
import { fromBinary } from '@bufbuild/protobuf';
import { Metadata, status } from '@grpc/grpc-js';
import { ErrandError, isErrandError, isErrorCode } from '@errand/contract';
import type { ErrorCode, Retry } from '@errand/contract';
import { ErrorDetailsSchema } from '../gen/errand/v1/error_pb.js';
import type { ErrorDetails } from '../gen/errand/v1/error_pb.js';
import { encode } from './definition.ts';
import { readDiagnostic, sendDiagnostic } from './diagnostics.ts';
import { shorten } from './limits.ts';

const key = 'errand-error-bin';
/** Metadata is small by custom: some peers take 8 KiB in all. */
const mostDiagnostics = 3;

const statuses: Partial<Record<ErrorCode, status>> = {
  'usage/invalid': status.INVALID_ARGUMENT,
  'config/invalid': status.INVALID_ARGUMENT,
  'environment/unsupported': status.FAILED_PRECONDITION,
  'secret/missing': status.FAILED_PRECONDITION,
  'secret/refused': status.PERMISSION_DENIED,
  'workspace/escape': status.INVALID_ARGUMENT,
  'disk/full': status.RESOURCE_EXHAUSTED,
  'provider/timeout': status.DEADLINE_EXCEEDED,
  'provider/unreachable': status.UNAVAILABLE,
  'provider/throttled': status.RESOURCE_EXHAUSTED,
  'provider/quota': status.RESOURCE_EXHAUSTED,
  'provider/capacity': status.RESOURCE_EXHAUSTED,
  'provider/auth': status.PERMISSION_DENIED,
  'provider/refused': status.PERMISSION_DENIED,
  'provider/fenced': status.FAILED_PRECONDITION,
  'provider/not-found': status.NOT_FOUND,
  'provider/conflict': status.ALREADY_EXISTS,
  'internal/bug': status.INTERNAL,
};

export interface Failure {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

export function detailsOf(error: ErrandError) {
  return {
    code: error.code,
    retry: error.retry,
    message: shorten(error.message),
    next: shorten(error.next ?? ''),
    diagnostics: error.diagnostics.slice(0, mostDiagnostics).map(sendDiagnostic),
  };
}

export function failureOf(error: ErrandError, code?: status): Failure {
  const metadata = new Metadata();
  const details = detailsOf(error);
  metadata.set(key, encode(ErrorDetailsSchema, details));
  return { code: code ?? statuses[error.code] ?? status.UNKNOWN, details: details.message, metadata };
}

/** What the far side's own store, runs or home suffer is, seen from here, a failure of the provider. */
const foreign = /^(store|run|lease|log|home|internal)\//;

/** Undefined when the far side sent no details, or none that can be read. */
export function errorFrom(metadata: Metadata, cause: unknown): ErrandError | undefined {
  const [bytes] = metadata.get(key);
  if (!(bytes instanceof Buffer)) return undefined;
  try {
    return errorOf(fromBinary(ErrorDetailsSchema, bytes), cause);
  } catch {
    return undefined;
  }
}

export function errorOf({ code, retry, message, next, diagnostics }: ErrorDetails, cause?: unknown): ErrandError {
  return new ErrandError(isErrorCode(code) && !foreign.test(code) ? code : 'provider/failed', message, {
    ...(isRetry(retry) && { retry }),
    ...(next !== '' && { next }),
    diagnostics: diagnostics.map(readDiagnostic),
    cause,
  });
}

export function asErrandError(error: unknown): ErrandError {
  if (isErrandError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new ErrandError('provider/failed', text, { cause: error });
}

function isRetry(text: string): text is Retry {
  return text === 'never' || text === 'safe' || text === 'later';
}
