import { expect, test } from 'vitest';
import { SshFailure } from './client.ts';
import type { Channel, Connection } from './client.ts';
import { createPool } from './pool.ts';

const { signal } = new AbortController();

/** A server that allows so many channels on each connection. */
function server(channels: number) {
  const connections: { open: number; closed: boolean }[] = [];
  const dial = async (): Promise<Connection> => {
    const state = { open: 0, closed: false };
    connections.push(state);
    return {
      get closed() {
        return state.closed;
      },
      async exec() {
        if (state.closed) throw new SshFailure('cut', 'closed');
        if (state.open >= channels) throw new SshFailure('refused', 'no more');
        state.open += 1;
        const channel: Partial<Channel> = {
          async [Symbol.asyncDispose]() {
            state.open -= 1;
          },
        };
        return channel as Channel;
      },
      tunnel: () => Promise.reject(new Error('none')),
      close: () => (state.closed = true),
    };
  };
  return { connections, dial };
}

test('channels share a connection until it is full; then another one is made, up to the limit', async () => {
  const { connections, dial } = server(10);
  using pool = createPool(2, dial);
  const channels = [];
  for (let count = 0; count < 20; count++) channels.push(await pool.open('x', signal));
  expect(connections.map(({ open }) => open)).toEqual([10, 10]);
  const next = pool.open('x', signal);
  expect(await Promise.race([next.then(() => 'open'), Promise.resolve('waits')])).toBe('waits');
  await channels[0]?.[Symbol.asyncDispose]();
  await channels[0]?.[Symbol.asyncDispose]();
  await next;
  expect(connections.map(({ open }) => open)).toEqual([10, 10]);
});

test('a server that allows fewer is learnt from', async () => {
  const { connections, dial } = server(3);
  using pool = createPool(2, dial);
  for (let count = 0; count < 6; count++) await pool.open('x', signal);
  expect(connections.map(({ open }) => open)).toEqual([3, 3]);
});

test('a server that allows none says so', async () => {
  const { dial } = server(0);
  using pool = createPool(2, dial);
  await expect(pool.open('x', signal)).rejects.toMatchObject({ kind: 'refused' });
});

test('what waits for hours leaves room for what does not', async () => {
  const { dial } = server(10);
  using pool = createPool(1, dial);
  const long = [];
  for (let one = await pool.openLong('x', signal); one; one = await pool.openLong('x', signal)) long.push(one);
  expect(long).toHaveLength(7);
  await pool.open('x', signal);
  await long[0]?.[Symbol.asyncDispose]();
  expect(await pool.openLong('x', signal)).toBeDefined();
});

test('a connection that ended is replaced; one that cannot be made fails that call only', async () => {
  const { connections, dial } = server(10);
  let broken = false;
  using pool = createPool(1, () => (broken ? Promise.reject(new Error('unreachable')) : dial()));
  await pool.open('x', signal);
  if (connections[0]) connections[0].closed = true;
  broken = true;
  await expect(pool.open('x', signal)).rejects.toThrow('unreachable');
  broken = false;
  await pool.open('x', signal);
  expect(connections).toHaveLength(2);
});

test('an aborted caller leaves its place in the queue', async () => {
  const { dial } = server(10);
  using pool = createPool(1, dial);
  for (let count = 0; count < 10; count++) await pool.open('x', signal);
  const controller = new AbortController();
  const waiting = pool.open('x', controller.signal);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});
