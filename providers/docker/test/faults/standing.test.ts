// A standing place whose container, line or supervisor fails: each job runs once, and its end is its own or `lost`.
import { expect, test } from 'vitest';
import type { Connection, Engine } from '../../src/client.ts';
import { label } from '../../src/layout.ts';
import { ask, signal } from '../bed.ts';
import { needEngine, openWorld, print } from './bed.ts';
import type { Fault } from './bed.ts';

type World = Awaited<ReturnType<typeof openWorld>>;

const containersOf = (world: World) => world.engine.containers({ [label.key]: world.placeKey, [label.role]: 'standing' }, signal);

/** The place's one container, which runs. */
async function containerOf(world: World): Promise<string> {
  const [one, ...more] = await containersOf(world);
  expect([one?.status, more.length]).toEqual(['running', 0]);
  return one?.id ?? '';
}

test('a supervisor that is killed: the job is lost, nothing of it stays, and the name is not used again', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const provider = world.open();
  const spec = world.spec(place, '(while :; do echo x >> beat; sleep 0.1; done) & sleep 0.3; kill -9 $PPID; sleep 60');
  const handle = await provider.runner.start(spec, world.call(world.job));
  expect(await provider.runner.wait({ key: world.job, handle }, ask)).toMatchObject({
    kind: 'lost',
    evidence: expect.stringContaining('running'),
  });
  const counts = (await print(provider, world.spec(place, 'wc -c < beat; sleep 0.5; wc -c < beat'))).trim().split(/\s+/);
  expect(counts[0]).toBe(counts[1]);
  await provider.runner.start(spec, world.call(world.job, 1_000));
  expect((await provider.runner.wait({ key: world.job }, ask)).kind).toBe('lost');
});

const ends = [
  ['killed', (engine: Engine, id: string) => engine.killContainer(id, 'SIGKILL', signal)],
  ['removed', (engine: Engine, id: string) => engine.removeContainer(id, true, signal)],
] as const;

test.for(ends)('a container that is %s behind our back', async ([, end], { skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const provider = world.open();
  const early = await provider.runner.start(world.spec(place, 'echo kept > file; echo done; exit 3'), world.call('early'));
  await provider.runner.wait({ key: 'early', handle: early }, ask);
  const handle = await provider.runner.start(world.spec(place, 'echo begun; sleep 60'), world.call(world.job));
  const waiting = provider.runner.wait({ key: world.job, handle }, ask);
  await end(world.engine, await containerOf(world));
  expect(await waiting).toMatchObject({ kind: 'lost', evidence: expect.stringContaining(world.placeKey) });
  // What ended before is still told as it was, and by a fresh process.
  const fresh = world.open();
  expect(await fresh.runner.wait({ key: 'early', handle: early }, ask)).toMatchObject({ kind: 'exited', code: 3 });
  const chunks = [];
  for await (const chunk of fresh.runner.logs({ key: 'early', handle: early }, undefined, ask)) chunks.push(chunk);
  expect(Buffer.concat(chunks.map((one) => one.bytes)).toString()).toBe('done\n');
  expect(await print(provider, world.spec(place, 'cat file'))).toBe('kept\n');
  await containerOf(world);
  expect((await fresh.runner.wait({ key: world.job, handle }, ask)).kind).toBe('lost');
});

/** Lets a line through until `broken` says so, once. */
function breaking(broken: (line: Connection) => Connection): Fault {
  let first = true;
  return (real) => ({
    async attach(...args) {
      const line = await real.attach(...args);
      const result = first ? broken(line) : line;
      first = false;
      return result;
    },
  });
}

/** The reply to each question is lost, and then the line. */
const deaf = (line: Connection): Connection => ({
  ...line,
  output: (async function* () {
    for await (const bytes of line.output) {
      if (bytes.length > 0) return;
      yield bytes;
    }
  })(),
});

/** The question goes out, and the line breaks at once. */
const dying = (line: Connection): Connection => ({
  ...line,
  send(bytes) {
    line.send(bytes);
    setTimeout(() => line.close(), 1);
  },
});

/** It is open, and says nothing. */
const mute = (line: Connection): Connection => ({
  ...line,
  output: (async function* () {
    for await (const bytes of line.output) if (bytes.length === 0) yield bytes;
  })(),
});

test.for([
  ['the reply is lost', deaf],
  ['the line breaks behind the question', dying],
  ['the line stays silent', mute],
] as const)('%s: the start is repeated and adopts what began', async ([, broken], { skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const provider = world.open(breaking(broken));
  const handle = await provider.runner.start(world.spec(place, 'echo x >> effects; exit 3'), world.call(world.job));
  expect(await provider.runner.wait({ key: world.job, handle }, ask)).toMatchObject({ kind: 'exited', code: 3 });
  expect(await print(provider, world.spec(place, 'cat effects'))).toBe('x\n');
});

test('rubbish and torn requests of others do no harm', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const other = await world.engine.attach(await containerOf(world), signal);
  const torn = Buffer.alloc(64);
  torn.writeUInt32LE(0x31515245, 0);
  torn.writeUInt32LE(3_000, 4);
  other.send(Buffer.from('not a request\n'));
  other.send(torn);
  const provider = world.open();
  for (const word of ['one', 'two']) expect(await print(provider, world.spec(place, `echo ${word}`))).toBe(`${word}\n`);
  other.close();
});

test('one who is attached and does not listen holds nobody up', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const stuck = await world.engine.attach(await containerOf(world), signal);
  const text = await print(world.open(), world.spec(place, 'head -c 8000000 /dev/zero | tr "\\000" x'));
  expect(text.length).toBe(8_000_000);
  stuck.close();
});

test('a stop that comes before the start takes the name', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const provider = world.open();
  const handle = await provider.runner.start(world.spec(place, 'true'), world.call('other'));
  const inside = { ...handle, state: { ...(handle.state as object), job: `errand-${world.job}` } };
  await provider.runner.stop({ key: world.job, handle: inside }, 'ask', world.call('stop'));
  const late = await provider.runner.start(world.spec(place, 'echo x >> effects'), world.call(world.job));
  expect(await provider.runner.wait({ key: world.job, handle: late }, ask)).toMatchObject({ kind: 'signalled' });
  expect(await print(provider, world.spec(place, 'cat effects 2>/dev/null; true'))).toBe('');
});

test('another job under the same key is refused', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const { runner } = world.open();
  await runner.start(world.spec(place, 'exit 0'), world.call(world.job));
  await expect(runner.start(world.spec(place, 'exit 1'), world.call(world.job))).rejects.toMatchObject({
    code: 'provider/conflict',
  });
});

test('a job that wants another container gets one of its own, in the same files', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const provider = world.open();
  await print(provider, world.spec(place, 'echo here > file'));
  const other = { ...world.spec(place, 'cat file'), resources: { memory: 64 * 1024 * 1024 } };
  expect(await print(provider, other)).toBe('here\n');
});

async function* files(...paths: string[]) {
  for (const path of paths) yield { kind: 'file' as const, path, mode: 0o644, size: 1, content: x };
}

async function* x() {
  yield Buffer.from('x');
}

async function* cut() {
  yield* files('half');
  throw new Error('the line was cut');
}

test('files are changed over in the container that is up, and a half-done filling is never seen', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const provider = world.open();
  const before = await containerOf(world);
  const list = () => print(provider, world.spec(place, 'find . -mindepth 1 | sort'));
  await print(
    provider,
    world.spec(place, 'mkdir -p old/er; echo x > old/er/x; chmod 500 old/er old; ln -s nowhere link; echo x > .dot'),
  );
  await expect(provider.host.realize(place, cut(), world.call('realize', 1_000))).rejects.toThrow('the line was cut');
  expect(await list()).toBe('./.dot\n./link\n./old\n./old/er\n./old/er/x\n');
  await provider.host.realize(place, files('a', 'd/b'), world.call('realize', 1_000));
  expect(await list()).toBe('./a\n./d\n./d/b\n');
  // As if everything had come and then nobody was there to change it over.
  const dead = world.open((real) => ({
    execute: (id, argv, inner) => (argv[1] === 'swap' ? Promise.reject(new Error('dead')) : real.execute(id, argv, inner)),
  }));
  await expect(dead.host.realize(place, files('c'), world.call('realize', 1_000))).rejects.toThrow('dead');
  expect(await list()).toBe('./a\n./d\n./d/b\n');
  await provider.host.realize(place, files(), world.call('realize', 1_000));
  expect(await list()).toBe('');
  expect(await containerOf(world)).toBe(before);
});

test('without a container that is up the files come in a new volume, and the next job gets a new container', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  const provider = world.open();
  const before = await containerOf(world);
  await world.engine.killContainer(before, 'SIGKILL', signal);
  await provider.host.realize(place, files('a'), world.call('realize', 1_000));
  expect(await print(provider, world.spec(place, 'ls'))).toBe('a\n');
  expect(await containerOf(world)).not.toBe(before);
});

test('a release takes the container and its volumes along', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld({ standing: true });
  const place = await world.acquire();
  await world.open().runner.start(world.spec(place, 'sleep 60'), world.call(world.job));
  expect((await world.left()).length).toBeGreaterThan(2);
  await world.release();
  expect(await world.left()).toEqual([]);
});
