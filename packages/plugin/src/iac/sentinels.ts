// The texts by which Go programs of the public contract know an error. They are part of that contract, and the only texts
// that are looked for in a message.
import { status } from '@grpc/grpc-js';
import type { ErrorCode } from '@errand/contract';

interface Sentinel {
  readonly text: string;
  /** What it is to us. */
  readonly code: ErrorCode;
  readonly status: status;
}

const notFound: Sentinel = { text: 'iac: resource not found', code: 'provider/not-found', status: status.NOT_FOUND };
const exists: Sentinel = { text: 'iac: resource already exists', code: 'provider/conflict', status: status.ALREADY_EXISTS };
const rateLimited: Sentinel = { text: 'iac: rate limited', code: 'provider/throttled', status: status.RESOURCE_EXHAUSTED };
const transient: Sentinel = { text: 'iac: transient error', code: 'provider/unreachable', status: status.UNAVAILABLE };
const unauthorized: Sentinel = { text: 'iac: unauthorized', code: 'provider/auth', status: status.UNAUTHENTICATED };
const forbidden: Sentinel = { text: 'iac: forbidden', code: 'provider/auth', status: status.PERMISSION_DENIED };
const invalid: Sentinel = { text: 'iac: validation error', code: 'provider/refused', status: status.INVALID_ARGUMENT };
const noImage: Sentinel = {
  text: 'iac: image tag or digest not found in registry',
  code: 'provider/image',
  status: status.FAILED_PRECONDITION,
};
const unimplemented: Sentinel = {
  text: 'iac: provider method unimplemented',
  code: 'environment/unsupported',
  status: status.UNIMPLEMENTED,
};

const all = [notFound, exists, rateLimited, transient, unauthorized, forbidden, invalid, noImage, unimplemented];

export function sentinelIn(details: string): ErrorCode | undefined {
  return all.find(({ text }) => details.includes(text))?.code;
}

/** The status that a plugin should have sent with such a text. */
export function sentinelStatusIn(details: string): status | undefined {
  return all.find(({ text }) => details.includes(text))?.status;
}

/** What a status means by itself. */
export const statusCodes: Partial<Record<status, ErrorCode>> = {
  [status.NOT_FOUND]: 'provider/not-found',
  [status.ALREADY_EXISTS]: 'provider/conflict',
  [status.RESOURCE_EXHAUSTED]: 'provider/throttled',
  [status.UNAVAILABLE]: 'provider/unreachable',
  [status.ABORTED]: 'provider/unreachable',
  // We did not cancel, so the far side or the line did.
  [status.CANCELLED]: 'provider/unreachable',
  [status.DEADLINE_EXCEEDED]: 'provider/timeout',
  [status.UNAUTHENTICATED]: 'provider/auth',
  [status.PERMISSION_DENIED]: 'provider/auth',
  [status.INVALID_ARGUMENT]: 'provider/refused',
  [status.FAILED_PRECONDITION]: 'provider/refused',
  [status.UNIMPLEMENTED]: 'environment/unsupported',
};

/** What a Go host is told for an error of ours; none where it has no word for it. */
export const sentinelOf: Partial<Record<ErrorCode, Sentinel>> = {
  'provider/not-found': notFound,
  'provider/conflict': exists,
  'provider/throttled': rateLimited,
  'provider/quota': rateLimited,
  'provider/capacity': rateLimited,
  'provider/unreachable': transient,
  'provider/timeout': { ...transient, status: status.DEADLINE_EXCEEDED },
  'provider/auth': unauthorized,
  'provider/image': noImage,
  'provider/refused': invalid,
  'infra/invalid': invalid,
  'config/invalid': invalid,
  'usage/invalid': invalid,
  'environment/unsupported': unimplemented,
};
