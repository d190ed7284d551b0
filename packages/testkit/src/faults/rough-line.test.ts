import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openRoughLine } from './rough-line.ts';
import type { LineManners } from './rough-line.ts';

/** A server that sends a megabyte and closes, asked through the line; how much of it came. */
async function received(manners: Partial<LineManners>): Promise<number> {
  const server = createServer((socket) => void socket.on('error', () => undefined).end(Buffer.alloc(1 << 20, 7)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await using line = await openRoughLine({ host: '127.0.0.1', port }, { seed: 1, cuts: 0, delay: 0, ...manners });
  const socket = connect('port' in line.near ? line.near : { path: line.near.path });
  let bytes = 0;
  socket.on('data', (data) => (bytes += data.length)).on('error', () => undefined);
  await new Promise((resolve) => socket.on('close', resolve));
  server.close();
  return bytes;
}

test('a line that only delays loses nothing, also when the sender closes at once', async () => {
  expect(await received({ delay: 5 })).toBe(1 << 20);
});

test('a line that cuts everything lets nothing through', async () => {
  expect(await received({ cuts: 1000 })).toBe(0);
});
