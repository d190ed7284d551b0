// A TCP line that can be cut and mended.
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface Line extends AsyncDisposable {
  readonly address: string;
  /** Ends every connection; new ones are refused until `mend`. */
  cut(): void;
  /** Bytes stay where they are, as when a machine vanishes. */
  freeze(): void;
  mend(): void;
}

export async function openLine(to: string): Promise<Line> {
  const port = Number(to.slice(to.lastIndexOf(':') + 1));
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'frozen' = 'whole';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes: Buffer) => {
        if (state === 'whole') other.write(bytes);
      });
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      state = 'cut';
      destroyAll();
    },
    freeze: () => {
      state = 'frozen';
    },
    mend: () => {
      destroyAll();
      state = 'whole';
    },
    async [Symbol.asyncDispose]() {
      destroyAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
