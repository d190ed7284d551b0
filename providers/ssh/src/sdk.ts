// The only importer of ssh2.
import { once } from 'node:events';
import ssh2 from 'ssh2';
import type { AnyAuthMethod, Client, ClientChannel, ConnectConfig } from 'ssh2';
import { SshFailure } from './client.ts';
import type { Channel, Connect, Connection, FailureKind, Key, Login, Tunnel } from './client.ts';

const handshakeLimit = 20_000;
/** So many signs of life may go unanswered. */
const silences = 3;

export const connect: Connect = async (login, through, signal) => {
  signal.throwIfAborted();
  const client = new ssh2.Client();
  const state = { closed: false };
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => undefined);
  const abort = () => over.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  // An agent that cannot be asked is one way less; the library goes on with the next.
  client.on('error', (error) => void (error.level === 'agent' || over.reject(failure(error))));
  client.on('close', () => {
    state.closed = true;
    over.reject(new SshFailure('cut', 'the connection ended'));
  });
  try {
    const ready = new Promise<void>((resolve) => client.once('ready', resolve));
    client.connect(configOf(login, through));
    await Promise.race([ready, over.promise]);
    return connection(client, state);
  } catch (error) {
    client.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

function configOf(login: Login, through: Tunnel | undefined): ConnectConfig {
  const { user: username, agent, keys } = login;
  const methods: AnyAuthMethod[] = keys.map(({ text, passphrase }) => ({
    type: 'publickey',
    username,
    key: text,
    ...(passphrase === undefined ? {} : { passphrase }),
  }));
  const fromAgent: AnyAuthMethod[] = agent === undefined ? [] : [{ type: 'agent', username, agent }];
  return {
    host: login.host,
    port: login.port,
    username,
    authHandler: login.agentFirst ? [...fromAgent, ...methods] : [...methods, ...fromAgent],
    hostVerifier: (key: Buffer) => login.trusts(key),
    readyTimeout: handshakeLimit,
    keepaliveInterval: login.keepalive,
    keepaliveCountMax: silences,
    ...(login.hostKeys === undefined ? {} : { algorithms: { serverHostKey: login.hostKeys as never } }),
    ...(through === undefined ? {} : { sock: through }),
  };
}

type Done<T> = (error: Error | undefined, value?: T) => void;

function connection(client: Client, state: { readonly closed: boolean }): Connection {
  // One listener for all channels: each wants to hear when the connection ends.
  const waiting = new Set<(error: Error) => void>();
  const tell = (error: Error) => {
    for (const reject of waiting) reject(error);
    waiting.clear();
  };
  client.on('error', (error) => tell(failure(error)));
  client.on('close', () => tell(new SshFailure('cut', 'the connection ended')));

  function open<T>(ask: (done: Done<T>) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (state.closed) return reject(new SshFailure('cut', 'the connection ended'));
      waiting.add(reject);
      const done: Done<T> = (error, value) => {
        waiting.delete(reject);
        if (error) reject(new SshFailure(state.closed ? 'cut' : 'refused', error.message, error));
        else resolve(value as T);
      };
      try {
        ask(done);
      } catch (error) {
        // The library throws when it has lost the connection and has not said so yet.
        waiting.delete(reject);
        reject(new SshFailure('cut', (error as Error).message, error));
      }
    });
  }

  return {
    get closed() {
      return state.closed;
    },
    // Listened to at once: a short command's exit may be in the same packet as the answer to our question.
    exec: (command) =>
      open<Channel>((done) => {
        client.exec(command, (error, stream) => (error ? done(error) : done(undefined, channel(stream, waiting))));
      }),
    tunnel: ({ host, port }) => open<ClientChannel>((done) => client.forwardOut('127.0.0.1', 0, host, port, done)),
    close: () => client.end(),
  };
}

function channel(stream: ClientChannel, waiting: Set<(error: Error) => void>): Channel {
  const exit = Promise.withResolvers<number | undefined>();
  exit.promise.catch(() => undefined);
  const cut = exit.reject;
  waiting.add(cut);
  // Node destroys a stream whose both ends are over, which closes the channel before the exit has come. Ours is closed
  // when it is disposed.
  stream.destroy = () => stream;
  // The library ends both streams when the connection ends; only the missing exit tells that from a proper end.
  stream.on('exit', (code: number | null) => {
    waiting.delete(cut);
    exit.resolve(code ?? undefined);
  });
  stream.on('error', () => undefined);
  stream.stderr.on('error', () => undefined);
  stream.on('close', (code?: number | null) => {
    waiting.delete(cut);
    if (code === undefined) exit.reject(new SshFailure('cut', 'the channel ended without an exit'));
    else exit.resolve(code ?? undefined);
  });
  return {
    async write(bytes) {
      if (stream.destroyed || !stream.writable) throw new SshFailure('cut', 'the far side stopped listening');
      if (stream.write(bytes)) return;
      await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
    },
    end: () => void stream.end(),
    // Reading to the end must not close the channel: the exit comes after it.
    stdout: stream.iterator({ destroyOnReturn: false }),
    stderr: stream.stderr.iterator({ destroyOnReturn: false }),
    exit: exit.promise,
    async [Symbol.asyncDispose]() {
      waiting.delete(cut);
      // Both directions are given up; the far side's stdin ends, which ends what waits there.
      stream.stderr.resume();
      stream.resume();
      stream.end();
      stream.close();
    },
  };
}

/** Anything else is one way or another of having no connection. */
const levels: Readonly<Record<string, FailureKind>> = { 'client-authentication': 'auth', handshake: 'protocol' };

function failure(error: Error & { readonly level?: string }): SshFailure {
  return new SshFailure(levels[error.level ?? ''] ?? 'cut', error.message, error);
}

/** Why a private key cannot be used; undefined when it can. */
export function keyTrouble({ text, passphrase }: Key): string | undefined {
  const parsed = ssh2.utils.parseKey(text, passphrase);
  return parsed instanceof Error ? parsed.message : undefined;
}
