// The one error class. Codes are a closed union `noun/what`; text is for people and is never matched.
import type { Diagnostic } from './diagnostic.ts';

/** Why a run could not be carried out; what a person, a dashboard or a retry rule switches on. */
export type Reason =
  | 'image'
  | 'quota'
  | 'capacity'
  | 'auth'
  | 'network'
  | 'oom'
  | 'preempted'
  | 'config'
  | 'workspace'
  | 'provider'
  | 'internal';

/** `never`: the same call gives the same answer. `safe`: repeat at once. `later`: repeat after a pause. */
export type Retry = 'never' | 'safe' | 'later';

const codes = {
  'usage/invalid': ['config', 'never'],
  'config/invalid': ['config', 'never'],
  'config/unreadable': ['config', 'never'],
  'environment/unknown': ['config', 'never'],
  'environment/unsupported': ['config', 'never'],
  'secret/invalid': ['config', 'never'],
  'secret/missing': ['config', 'never'],
  'secret/refused': ['config', 'never'],
  'home/unwritable': ['internal', 'never'],
  'disk/full': ['internal', 'later'],
  'store/corrupt': ['internal', 'never'],
  'store/newer': ['internal', 'never'],
  'store/busy': ['internal', 'safe'],
  'store/unreachable': ['network', 'later'],
  'log/corrupt': ['internal', 'never'],
  'run/unknown': ['config', 'never'],
  'run/key-conflict': ['config', 'never'],
  'run/fenced': ['internal', 'never'],
  'run/wrong-status': ['internal', 'never'],
  'lease/unknown': ['config', 'never'],
  'lease/held': ['config', 'later'],
  'lease/ended': ['config', 'never'],
  'lease/fenced': ['internal', 'never'],
  'lease/wrong-status': ['internal', 'never'],
  'provision/failed': ['config', 'never'],
  'workspace/unreadable': ['workspace', 'never'],
  'workspace/escape': ['workspace', 'never'],
  'workspace/failed': ['workspace', 'never'],
  'infra/invalid': ['config', 'never'],
  'infra/protected': ['config', 'never'],
  'infra/stale-plan': ['config', 'never'],
  'infra/locked': ['config', 'later'],
  'infra/fenced': ['internal', 'never'],
  'infra/failed': ['provider', 'never'],
  'state/unknown': ['config', 'never'],
  'state/corrupt': ['internal', 'never'],
  'state/newer': ['internal', 'never'],
  'state/conflict': ['config', 'never'],
  'provider/unknown': ['config', 'never'],
  'provider/untrusted': ['config', 'never'],
  'provider/timeout': ['provider', 'safe'],
  'provider/unreachable': ['network', 'later'],
  'provider/throttled': ['provider', 'later'],
  'provider/auth': ['auth', 'never'],
  'provider/refused': ['config', 'never'],
  'provider/quota': ['quota', 'later'],
  'provider/capacity': ['capacity', 'later'],
  'provider/image': ['image', 'never'],
  'provider/fenced': ['internal', 'never'],
  'provider/not-found': ['provider', 'never'],
  'provider/conflict': ['provider', 'never'],
  'provider/failed': ['provider', 'never'],
  'internal/bug': ['internal', 'never'],
} as const satisfies Record<string, readonly [Reason, Retry]>;

export type ErrorCode = keyof typeof codes;

export interface ErrandErrorOptions {
  /** What the reader should do next; one sentence. */
  readonly next?: string;
  readonly retry?: Retry;
  readonly cause?: unknown;
  readonly diagnostics?: readonly Diagnostic[];
}

const brand = Symbol.for('errand.error');

export class ErrandError extends Error {
  override readonly name = 'ErrandError';
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly retry: Retry;
  readonly next: string | undefined;
  readonly diagnostics: readonly Diagnostic[];

  /** `message` says what was tried and what happened. */
  constructor(code: ErrorCode, message: string, options: ErrandErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.reason = codes[code][0];
    this.retry = options.retry ?? codes[code][1];
    this.next = options.next;
    this.diagnostics = options.diagnostics ?? [];
  }
}

/** True for an ErrandError of any copy of this package. */
export function isErrandError(value: unknown, code?: ErrorCode): value is ErrandError {
  if (typeof value !== 'object' || value === null || !(brand in value)) return false;
  return code === undefined || (value as ErrandError).code === code;
}

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(codes, value);
}
