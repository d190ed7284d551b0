import type { ErrandError } from '@errand/contract';
import { failureOf } from '../wire/error-details.ts';
import type { Failure } from '../wire/error-details.ts';
import { sentinelOf } from './sentinels.ts';

/** A status and a text that Go hosts understand; ours find the error itself beside them. */
export function publicFailure(error: ErrandError): Failure {
  const sentinel = sentinelOf[error.code];
  if (sentinel === undefined) return failureOf(error);
  const failure = failureOf(error, sentinel.status);
  const next = error.next === undefined ? '' : ` (${error.next})`;
  return { ...failure, details: `${sentinel.text}: ${failure.details}${next}` };
}
