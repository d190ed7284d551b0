import { ErrandError } from '@errand/contract';
import type { ErrorCode } from '@errand/contract';
import { EngineFailure } from './client.ts';

const byStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'provider/auth',
  403: 'provider/auth',
  404: 'provider/not-found',
  409: 'provider/conflict',
  429: 'provider/throttled',
  503: 'provider/unreachable',
  507: 'disk/full',
};

const next: Partial<Record<ErrorCode, string>> = {
  'provider/unreachable': 'See that the engine runs (`docker info`), and that DOCKER_HOST or `engine:` names it.',
  'provider/auth': 'Give this user access to the engine, for example through the group `docker`.',
  'disk/full': 'Free some space on the engine’s machine (`docker system df`) and try again.',
};

/** The kernel's own words. An engine answers a full disk with status 500 and nothing else that tells it apart. */
const noSpace = 'no space left on device';

/** An engine's refusal in our words; anything else is given back as it is. */
export function engineError(address: string, tried: string, error: unknown): unknown {
  if (!(error instanceof EngineFailure)) return error;
  const code = codeFor(error);
  const said = error.status === undefined ? `${error.message} (${address})` : error.message;
  const hint = next[code];
  return new ErrandError(code, `${tried}: ${said}`, {
    cause: error,
    ...(hint === undefined ? {} : { next: hint }),
    // An engine's own trouble, such as being about to stop.
    ...(code === 'provider/failed' && (error.status ?? 0) >= 500 ? { retry: 'later' as const } : {}),
  });
}

function codeFor({ status, code, message }: EngineFailure): ErrorCode {
  if (status === undefined) return code === 'EACCES' || code === 'EPERM' ? 'provider/auth' : 'provider/unreachable';
  if (status >= 500 && message.includes(noSpace)) return 'disk/full';
  return byStatus[status] ?? 'provider/failed';
}

/** Runs `work`; what the engine refuses is thrown as `tried …: what it said`. */
export async function trying<T>(engine: { readonly address: string }, tried: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw engineError(engine.address, tried, error);
  }
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof EngineFailure && error.status === status;
}

/** No answer came: the engine restarts, or the way to it is cut. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof EngineFailure && (error.status === undefined || error.status === 503);
}
