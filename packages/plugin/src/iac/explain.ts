import { status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { ErrandErrorOptions, ErrorCode } from '@errand/contract';
import { errorFrom } from '../wire/error-details.ts';
import { isServiceError, linkError } from '../wire/link-error.ts';
import { sentinelIn, statusCodes } from './sentinels.ts';

export interface About {
  /** Completes "asked NAME to …". */
  readonly verb: string;
  /** The type of resource that the call is about, and whether the plugin declares it. */
  readonly type?: { readonly name: string; readonly declared: boolean };
  /** The call needs no resource to be there, so it cannot miss one: what is not found is the type. */
  readonly needsNone?: boolean;
}

/**
 * What an error of a plugin means: the error itself where the plugin is one of ours, else the status, else the sentinel in
 * the text. `NOT_FOUND` also says "unknown type" on this contract, and that must never pass for a resource that is gone.
 */
export function explain(name: string, about: About, answered: boolean, error: unknown): unknown {
  if (!isServiceError(error)) return linkError(name, about.verb, error);
  const told = errorFrom(error.metadata, error);
  if (told) return told;
  const text = `asked ${name} to ${about.verb}; `;
  const tooLarge = answered && error.code === status.RESOURCE_EXHAUSTED;
  if (tooLarge) {
    return new ErrandError('provider/failed', `${text}its answer is too large: ${error.details}`, {
      next: 'Ask for less at once, such as one type of resource; or ask the plugin’s author for smaller answers.',
      cause: error,
    });
  }
  if (isUnknownType(error, about)) {
    const type = JSON.stringify(about.type?.name);
    return new ErrandError('provider/refused', `${text}it does not know the type ${type}: ${error.details}`, {
      next: 'Check the type’s name, and the version of the plugin.',
      cause: error,
    });
  }
  const code = codeOf(error);
  return new ErrandError(code, `${text}it failed: ${error.details} (${status[error.code]})`, {
    ...advice[code],
    cause: error,
  });
}

function codeOf(error: ServiceError): ErrorCode {
  const sentinel = sentinelIn(error.details);
  if (error.code === status.UNKNOWN) return sentinel ?? 'provider/failed';
  // An image that is missing is not found, too, and fails a precondition.
  if (sentinel === 'provider/image') return sentinel;
  return statusCodes[error.code] ?? 'provider/failed';
}

function isUnknownType(error: ServiceError, { type, needsNone }: About): boolean {
  if (error.code !== status.NOT_FOUND || type === undefined || sentinelIn(error.details) !== undefined) return false;
  return needsNone === true || !type.declared;
}

const advice: Partial<Record<ErrorCode, ErrandErrorOptions>> = {
  'provider/auth': { next: 'Check the credentials in the provider’s config, and what they allow.' },
  'provider/refused': { next: 'Correct what the plugin names, in the config of the resource or the provider.' },
  'environment/unsupported': { next: 'Check the version of the plugin: this one does not do it.' },
  'provider/timeout': { next: 'Try again; if it stays so, ask the plugin’s author.' },
};
