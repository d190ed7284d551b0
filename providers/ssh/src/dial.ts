import { ErrandError, isErrandError } from '@errand/contract';
import { SshFailure } from './client.ts';
import type { Connect, Connection, Tunnel } from './client.ts';
import { findKeys } from './keys.ts';
import type { KeySources } from './keys.ts';
import { accountOf } from './options.ts';
import type { HopOptions, Target } from './options.ts';
import { createTrust } from './trust.ts';

export interface Dialer extends KeySources {
  readonly connect: Connect;
}

/** A connection to the target, through its jumps. What was opened on the way is closed with it. */
export async function dial(dialer: Dialer, target: Target, signal: AbortSignal): Promise<Connection> {
  const opened: Connection[] = [];
  const closeAll = () => {
    for (const one of opened.toReversed()) one.close();
  };
  try {
    for (const hop of [...target.jumps, target]) {
      const before = opened.at(-1);
      opened.push(await reach(dialer, hop, before && (() => tunnel(before, hop)), target.keepalive, signal));
    }
    const last = opened.at(-1);
    if (!last) throw new Error('no hop');
    return {
      get closed() {
        return opened.some((one) => one.closed);
      },
      exec: (command) => last.exec(command),
      tunnel: (hop) => last.tunnel(hop),
      close: closeAll,
    };
  } catch (error) {
    closeAll();
    throw error;
  }
}

async function tunnel(through: Connection, hop: HopOptions): Promise<Tunnel> {
  try {
    return await through.tunnel(hop);
  } catch (error) {
    throw unreachable(hop, `the jump host could not reach it: ${(error as Error).message}`, error);
  }
}

async function reach(
  dialer: Dialer,
  hop: HopOptions,
  through: (() => Promise<Tunnel>) | undefined,
  keepalive: number,
  signal: AbortSignal,
): Promise<Connection> {
  const trust = createTrust(hop);
  const keys = await findKeys(hop, dialer);
  for (const [index, hostKeys] of trust.attempts.entries()) {
    try {
      const login = { ...hop, ...keys, hostKeys, trusts: (key: Buffer) => trust.accepts(key), keepalive };
      return await dialer.connect(login, await through?.(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isErrandError(error)) throw error;
      const last = index === trust.attempts.length - 1;
      const refusal = trust.refusal();
      // Another kind of key may be the pinned one; a server that has no key of this kind fails in the handshake.
      const other = refusal !== undefined || (error instanceof SshFailure && error.kind === 'protocol');
      if (other && !last) continue;
      throw refusal ?? connectError(hop, error);
    }
  }
  throw unreachable(hop, 'it was not tried', undefined);
}

function connectError(hop: HopOptions, error: unknown): unknown {
  if (!(error instanceof SshFailure)) return error;
  if (error.kind !== 'auth') return unreachable(hop, error.message, error);
  return new ErrandError('provider/auth', `tried to log in as ${accountOf(hop)}: none of our keys was accepted`, {
    next: `Set \`identity:\` or \`user:\`, or add the public key to ~${hop.user}/.ssh/authorized_keys on that machine.`,
    cause: error,
  });
}

function unreachable(hop: HopOptions, said: string, cause: unknown): ErrandError {
  return new ErrandError('provider/unreachable', `tried to reach ${accountOf(hop)}: ${said}`, {
    next: `See that the machine is up and that \`ssh -p ${hop.port} ${hop.user}@${hop.host}\` works.`,
    cause,
  });
}
