// What we need of SSH, in our words. `sdk.ts` is the only file that knows the library.
import type { Duplex } from 'node:stream';

/** One machine on the way, and who we are there. Free of secrets. */
export interface Hop {
  readonly host: string;
  readonly port: number;
  readonly user: string;
}

/** What a hop is opened with. */
export interface Login extends Hop {
  readonly keys: readonly Key[];
  /** Its socket. */
  readonly agent: string | undefined;
  readonly agentFirst: boolean;
  /** Kinds of host keys to ask the server for, most wanted first; undefined for the library's own order. */
  readonly hostKeys: readonly string[] | undefined;
  /** Shown the server's key before anything secret is said; false ends the connection. */
  readonly trusts: (key: Buffer) => boolean;
  /** Milliseconds between signs of life. */
  readonly keepalive: number;
}

export interface Key {
  readonly text: Buffer;
  readonly passphrase?: string;
}

export interface Channel extends AsyncDisposable {
  /** Resolves when the far side took it. */
  write(bytes: Uint8Array): Promise<void>;
  end(): void;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** The command's exit code; undefined when it was ended by a signal. Rejects when the connection ends first. */
  readonly exit: Promise<number | undefined>;
}

export interface Connection {
  readonly closed: boolean;
  /** Rejects with a failure of kind `refused` when the server gives no more channels on this connection. */
  exec(command: string): Promise<Channel>;
  /** A connection to another machine through this one. */
  tunnel(hop: Hop): Promise<Tunnel>;
  close(): void;
}

/** A stream that the library made and takes back. */
export type Tunnel = Duplex;

export type Connect = (login: Login, through: Tunnel | undefined, signal: AbortSignal) => Promise<Connection>;

/**
 * `refused`: one channel more than the server allows. `auth`: no key was accepted. `protocol`: no
 * common ground, such as a kind of host key. `cut`: there is no connection (any more).
 */
export type FailureKind = 'auth' | 'cut' | 'refused' | 'protocol';

export class SshFailure extends Error {
  override readonly name = 'SshFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
