/** One of our output streams. Bytes go out untouched and in order. */
export interface Sink {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** Resolves when there is room for more; false when nobody can get it any more. Never rejects. */
  write(bytes: Uint8Array | string): Promise<boolean>;
  /** Resolves when everything has left this process, or cannot. */
  flush(): Promise<void>;
  /** Why writing ended: `EPIPE` when the reader went away. */
  readonly failure: string | undefined;
}

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(bytes: Uint8Array | string, callback: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

export function createSink(stream: Output): Sink {
  let failure: string | undefined;
  const fail = (error: NodeJS.ErrnoException): void => {
    failure ??= error.code ?? error.message;
  };
  // Without a listener, an EPIPE would end the process in the middle of its work.
  stream.on('error', fail);

  function send(bytes: Uint8Array | string, always: boolean): Promise<boolean> {
    if (failure !== undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const room = stream.write(bytes, (error) => {
        if (error) fail(error);
        resolve(failure === undefined);
      });
      if (room && !always) resolve(true);
    });
  }

  return {
    isTTY: stream.isTTY === true,
    columns: stream.columns,
    write: (bytes) => send(bytes, false),
    flush: async () => {
      await send('', true);
    },
    get failure() {
      return failure;
    },
  };
}
