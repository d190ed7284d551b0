// A TCP port that leads to another one, over a line that misbehaves when told to.
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

export interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** Connections that were let through so far. */
  readonly connections: number;
  /** Destroys every connection there is. */
  cut(): void;
  /** New connections are closed at once. */
  refuse(value: boolean): void;
  /** Milliseconds that every piece takes in each direction. */
  delay(ms: number): void;
  /** Nothing passes and nobody is told, as when a cable is pulled. */
  freeze(value: boolean): void;
  /** Cuts every connection once so many bytes more have come from the far side. */
  cutAfter(bytes: number): void;
}

export async function openProxy(target: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const live = new Set<Socket>();
  let refusing = false;
  let latency = 0;
  let frozen = false;
  let allowance = Number.POSITIVE_INFINITY;
  let connections = 0;

  const cut = () => {
    for (const socket of live) socket.destroy();
  };

  function lead(from: Socket, to: Socket, counted: boolean): void {
    live.add(from);
    from.on('error', () => undefined);
    from.on('close', () => {
      live.delete(from);
      to.destroy();
    });
    from.on('end', () => later(() => to.end()));
    from.on('data', (bytes: Buffer) => {
      if (counted) allowance -= bytes.length;
      if (allowance < 0) {
        allowance = Number.POSITIVE_INFINITY;
        return cut();
      }
      if (!frozen) later(() => to.writable && to.write(bytes));
    });
  }
  // Timers of one length run in the order in which they were set, so pieces stay in order.
  const later = (work: () => void) => void (latency === 0 ? work() : setTimeout(work, latency));

  const server = createServer((near) => {
    if (refusing) return void near.destroy();
    connections += 1;
    const far = connect(target.port, target.host);
    lead(near, far, false);
    lead(far, near, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    get connections() {
      return connections;
    },
    cut,
    refuse: (value) => (refusing = value),
    delay: (ms) => (latency = ms),
    freeze: (value) => (frozen = value),
    cutAfter: (bytes) => (allowance = bytes),
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
