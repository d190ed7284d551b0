// A bounded number of connections to one machine, each with as many channels as its server allows. What only waits may
// not take the last ones, or nobody could stop a job any more.
import { SshFailure } from './client.ts';
import type { Channel, Connection } from './client.ts';

/** OpenSSH's own limit of channels on one connection; a server that allows fewer says so when it is asked for one more. */
const usualChannels = 10;
/** So many of them stay free for what is over soon. */
const reserve = 3;
const idleLimit = 60_000;

export interface Pool extends Disposable {
  /** A channel with the command running on it; to be disposed. */
  open(command: string, signal: AbortSignal): Promise<Channel>;
  /** For a command that may take hours. Undefined when there is no room for one more of those. */
  openLong(command: string, signal: AbortSignal): Promise<Channel | undefined>;
}

interface Line {
  readonly connection: Promise<Connection>;
  /** Known once connected. */
  opened?: Connection;
  used: number;
  limit: number;
  idle?: NodeJS.Timeout;
}

export function createPool(most: number, dial: (signal: AbortSignal) => Promise<Connection>): Pool {
  const lines = new Set<Line>();
  const queue = new Set<() => void>();
  const closing = new AbortController();
  let long = 0;

  function pick(): Line | undefined {
    for (const line of lines) if (line.opened?.closed) lines.delete(line);
    const free = [...lines].filter((line) => line.used < line.limit).toSorted((a, b) => a.used - b.used)[0];
    return free ?? (lines.size < most ? add() : undefined);
  }

  function add(): Line {
    const line: Line = { connection: dial(closing.signal), used: 0, limit: usualChannels };
    lines.add(line);
    line.connection.then(
      (opened) => (line.opened = opened),
      () => lines.delete(line),
    );
    return line;
  }

  async function take(signal: AbortSignal): Promise<Line> {
    for (;;) {
      signal.throwIfAborted();
      closing.signal.throwIfAborted();
      const line = pick();
      if (line) {
        clearTimeout(line.idle);
        line.used += 1;
        return line;
      }
      await orAbort(new Promise<void>((resolve) => queue.add(resolve)), signal);
    }
  }

  function giveBack(line: Line): void {
    line.used -= 1;
    if (line.used === 0) line.idle = setTimeout(() => forget(line), idleLimit).unref();
    for (const next of queue) next();
    queue.clear();
  }

  function forget(line: Line): void {
    lines.delete(line);
    line.opened?.close();
  }

  async function open(command: string, signal: AbortSignal): Promise<Channel> {
    for (;;) {
      const line = await take(signal);
      try {
        const connection = await orAbort(line.connection, signal);
        const channel = await orAbort(connection.exec(command), signal, (late) => void late[Symbol.asyncDispose]());
        return disposing(channel, () => giveBack(line));
      } catch (error) {
        giveBack(line);
        if (!(error instanceof SshFailure && error.kind === 'refused')) throw error;
        if (line.used === 0) throw error;
        line.limit = Math.min(line.limit, line.used);
      }
    }
  }

  return {
    open,
    async openLong(command, signal) {
      const room = most * Math.max(1, Math.min(usualChannels, ...[...lines].map((line) => line.limit)) - reserve);
      if (long >= room) return undefined;
      long += 1;
      try {
        return disposing(await open(command, signal), () => (long -= 1));
      } catch (error) {
        long -= 1;
        throw error;
      }
    },
    [Symbol.dispose]() {
      closing.abort(new SshFailure('cut', 'the provider was closed'));
      for (const line of lines) {
        clearTimeout(line.idle);
        line.connection.then(
          (one) => one.close(),
          () => undefined,
        );
      }
      lines.clear();
    },
  };
}

function disposing(channel: Channel, then: () => void): Channel {
  let disposed = false;
  return {
    ...channel,
    async [Symbol.asyncDispose]() {
      if (disposed) return;
      disposed = true;
      await channel[Symbol.asyncDispose]();
      then();
    },
  };
}

/** The work goes on behind an aborted caller; `late` gets what nobody waits for any more. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal, late?: (value: T) => void): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    aborted.reject(signal.reason);
    work.then(late, () => undefined);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
