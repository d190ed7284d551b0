// A line to a real server that behaves as networks do: it delays, and cuts where it likes, also between a request that
// was carried out and its answer. Seeded, so a bad day can be had again.
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChance } from '../sim/random.ts';

export type LineEnd = { readonly path: string } | { readonly host: string; readonly port: number };

export interface LineManners {
  readonly seed: number;
  /** Out of a thousand pieces of data, how many end their connection instead of arriving. */
  readonly cuts: number;
  /** At most so many milliseconds per piece. */
  readonly delay: number;
}

export interface RoughLine extends AsyncDisposable {
  /** Where to connect to instead. */
  readonly near: LineEnd;
  /** How many connections were cut so far. */
  readonly cutCount: () => number;
  /** How many connections were let through so far. */
  readonly connections: () => number;
  /** Cuts every connection there is. */
  cut(): void;
  /** Cuts every connection once so many bytes more have come from the far side. */
  cutAfter(bytes: number): void;
  /** While true, new connections are cut at once. */
  refuse(value: boolean): void;
  /** While true, nothing passes and nobody is told, as when a cable is pulled. */
  freeze(value: boolean): void;
}

const kind: LineManners = { seed: 1, cuts: 0, delay: 0 };

export async function openRoughLine(far: LineEnd, manners: LineManners = kind): Promise<RoughLine> {
  const directory = 'path' in far ? await mkdtemp(join(tmpdir(), 'errand-line-')) : undefined;
  const chance = createChance(manners.seed);
  const live = new Set<Socket>();
  let refusing = false;
  let frozen = false;
  let allowance = Number.POSITIVE_INFINITY;
  let connections = 0;
  let cuts = 0;
  const end = (socket: Socket) => {
    cuts += 1;
    socket.destroy();
  };
  const cut = () => {
    for (const socket of live) end(socket);
  };
  /** Undefined when the piece is lost without a word. */
  const fate = (bytes: Buffer, fromFar: boolean): 'pass' | 'cut' | undefined => {
    if (fromFar) allowance -= bytes.length;
    if (allowance >= 0) return frozen ? undefined : chance.happens(manners.cuts / 1000) ? 'cut' : 'pass';
    allowance = Number.POSITIVE_INFINITY;
    cut();
    return undefined;
  };
  const delay = () => (manners.delay === 0 ? 0 : chance.between(0, manners.delay));
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (refusing) return end(near);
    connections += 1;
    const other = connect(far);
    for (const [from, to] of [
      [near, other],
      [other, near],
    ] as const) {
      live.add(from);
      carry(from, to, { fate: (bytes) => fate(bytes, from === other), delay, end });
      from.on('close', () => live.delete(from));
    }
  });
  const listenAt = directory === undefined ? { host: '127.0.0.1', port: 0 } : { path: join(directory, 's') };
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(listenAt, resolve));
  const bound = server.address();
  const near = typeof bound === 'object' && bound ? { host: bound.address, port: bound.port } : { path: String(bound) };
  return {
    near,
    cutCount: () => cuts,
    connections: () => connections,
    cut,
    cutAfter: (bytes) => (allowance = bytes),
    refuse: (value) => (refusing = value),
    freeze: (value) => (frozen = value),
    async [Symbol.asyncDispose]() {
      for (const socket of live) socket.destroy();
      server.close();
      if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Weather {
  fate(bytes: Buffer): 'pass' | 'cut' | undefined;
  /** Milliseconds for the next piece. */
  delay(): number;
  end(socket: Socket): void;
}

/** One direction. What was on its way when the sender closed still arrives, unless it was cut. */
function carry(from: Socket, to: Socket, weather: Weather): void {
  from.on('error', () => undefined);
  let order = Promise.resolve();
  from.on('data', (bytes: Buffer) => {
    const fate = weather.fate(bytes);
    if (fate === undefined) return;
    const delay = weather.delay();
    from.pause();
    order = order.then(async () => {
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      if (fate === 'cut') {
        weather.end(from);
        to.destroy();
      }
      if (!to.destroyed && !to.write(bytes)) await drained(to);
      from.resume();
    });
  });
  from.on('end', () => void order.then(() => to.end()));
  from.on('close', () => void order.then(() => to.destroySoon()));
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
