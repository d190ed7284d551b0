// Calls to the shim on one machine. It is put there before the first call, and again when somebody removed it.
import { ErrandError } from '@errand/contract';
import { answerError, answerOf, NoAnswer } from './answer.ts';
import { SshFailure } from './client.ts';
import type { Channel } from './client.ts';
import { installCommand } from './install.ts';
import { accountOf } from './options.ts';
import type { Target } from './options.ts';
import { patiently } from './patience.ts';
import type { Pool } from './pool.ts';
import { shimName, shimText } from './shim/text.ts';

/** How long a question may be repeated, in milliseconds. */
const briefly = 5_000;

export interface Remote {
  readonly target: Target;
  /** Tools that are missing there; empty when jobs can run. */
  ready(signal: AbortSignal): Promise<readonly string[]>;
  /** The answer's text. Arguments are plain words. `input` may hold secrets: it goes over stdin. */
  call(verb: string, args: readonly Word[], request: { readonly signal: AbortSignal; readonly input?: string }): Promise<string>;
  /** An open call, to be disposed. With `long`, undefined when there is no room for one more that waits. */
  open(verb: string, args: readonly Word[], signal: AbortSignal): Promise<Channel>;
  openLong(verb: string, args: readonly Word[], signal: AbortSignal): Promise<Channel | undefined>;
}

export type Word = string | number;

export function createRemote(target: Target, pool: Pool): Remote {
  let installing: Promise<readonly string[]> | undefined;

  function ready(signal: AbortSignal): Promise<readonly string[]> {
    installing ??= install().catch((error: unknown) => {
      installing = undefined;
      throw error;
    });
    return installing;

    async function install(): Promise<readonly string[]> {
      const text = await ask(installCommand(target.root), shimText, signal);
      return text.split(/\s+/).filter((tool) => tool !== '');
    }
  }

  /** Refuses before anything is made on a machine that could not run it. */
  async function usable(signal: AbortSignal): Promise<void> {
    const missing = await ready(signal);
    if (missing.length === 0) return;
    throw new ErrandError('environment/unsupported', `tried to use ${accountOf(target)}: it has no ${missing.join(', ')}`, {
      next: 'Install what is missing there.',
    });
  }

  const commandOf = (verb: string, args: readonly Word[]) => ['exec sh', `${target.root}/${shimName}`, verb, ...args].join(' ');

  async function ask(command: string, input: string | undefined, signal: AbortSignal): Promise<string> {
    await using channel = await pool.open(command, signal);
    const aborted = () => void channel[Symbol.asyncDispose]();
    signal.addEventListener('abort', aborted, { once: true });
    try {
      const sending = input === undefined ? undefined : channel.write(Buffer.from(input));
      sending?.catch(() => undefined);
      channel.end();
      const parts: Uint8Array[] = [];
      for await (const bytes of answerOf(channel)) parts.push(bytes);
      await channel.exit;
      signal.throwIfAborted();
      return Buffer.concat(parts).toString();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', aborted);
    }
  }

  return {
    target,
    ready: (signal) => reporting(target, () => ready(signal)),
    call: (verb, args, { input, signal }) =>
      reporting(target, async () => {
        await usable(signal);
        try {
          return await ask(commandOf(verb, args), input, signal);
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
        }
        installing = undefined;
        await usable(signal);
        return ask(commandOf(verb, args), input, signal);
      }),
    open: (verb, args, signal) =>
      reporting(target, async () => {
        await usable(signal);
        return pool.open(commandOf(verb, args), signal);
      }),
    openLong: (verb, args, signal) =>
      reporting(target, async () => {
        await usable(signal);
        return pool.openLong(commandOf(verb, args), signal);
      }),
  };
}

/** What the connection and the far side's shell fail with, in the words of the contract. */
export async function reporting<T>(target: Target, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw connectionError(target, error);
  }
}

export function connectionError(target: Target, error: unknown): unknown {
  if (error instanceof NoAnswer) {
    const heard = error.message === '' ? 'nothing' : JSON.stringify(error.message);
    return new ErrandError('provider/failed', `asked ${accountOf(target)} for something; instead of an answer came ${heard}`, {
      next: `See that \`ssh -p ${target.port} ${target.user}@${target.host} sh -c true\` works and that \`root:\` is writable there.`,
      cause: error,
    });
  }
  if (!(error instanceof SshFailure)) return error;
  const refused = error.kind === 'refused';
  return new ErrandError(refused ? 'provider/capacity' : 'provider/unreachable', `asked ${accountOf(target)}: ${error.message}`, {
    next: refused ? 'See MaxSessions of its sshd.' : 'See that the machine is up; what was asked for may be asked for again.',
    cause: error,
  });
}

/** For questions: a cut that is over soon is not heard of. Nothing but the caller knows whether a change may be repeated. */
export function asking(remote: Remote, verb: string, args: readonly Word[], signal: AbortSignal): Promise<string> {
  return patiently(() => remote.call(verb, args, { signal }), signal, briefly);
}

/** For changes that have one effect however often they are asked for: the shim looks at what is there before it does anything. */
export function changing(
  remote: Remote,
  verb: 'acquire' | 'renew' | 'release' | 'stop',
  args: readonly Word[],
  { input, signal }: { readonly input?: string; readonly signal: AbortSignal },
): Promise<string> {
  return patiently(() => remote.call(verb, args, { signal, ...(input !== undefined && { input }) }), signal, briefly);
}

/** Runs `work`; what the far side refuses is thrown as `tried …: what it said`. */
export async function trying<T>(tried: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw answerError(tried, error);
  }
}
