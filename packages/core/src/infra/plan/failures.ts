import { ErrandError, isErrandError, type Diagnostic } from '@errand/contract';
import type { Origin } from '../../model/infra/stack.ts';

export interface Failure {
  readonly resource: string;
  /** `reading`, `comparing`. */
  readonly doing: string;
  readonly error: unknown;
  readonly origin?: Origin | undefined;
}

/** All that went wrong, in one error with the code of the first. A signal's own reason goes through as it is. */
export function failed(failures: readonly Failure[], signal: AbortSignal): ErrandError {
  signal.throwIfAborted();
  const [first] = failures;
  const cause = first?.error;
  const others = failures.length - 1;
  return new ErrandError(
    isErrandError(cause) ? cause.code : 'infra/failed',
    `cannot plan: ${first?.doing} '${first?.resource}' failed: ${textOf(cause)}${others > 0 ? ` (and ${others} more)` : ''}`,
    {
      cause,
      next: (isErrandError(cause) && cause.next) || 'Nothing was changed. Try again, or leave the resource out with --exclude.',
      diagnostics: failures.map(({ resource, doing, error, origin }): Diagnostic => ({
        severity: 'error',
        message: `${doing} '${resource}': ${textOf(error)}`,
        ...origin,
      })),
    },
  );
}

/** Problems in what was written. */
export function invalid(stack: string, diagnostics: readonly Diagnostic[]): ErrandError {
  const count = diagnostics.filter((one) => one.severity === 'error').length;
  return new ErrandError(
    'infra/invalid',
    `cannot plan the stack '${stack}': ${count === 1 ? 'one problem' : `${count} problems`}`,
    {
      diagnostics,
      next: 'Correct what is named above; nothing was changed.',
    },
  );
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
