// Bytes that come with the file in which they lie. A store may link to that file or copy; nobody can tell by reading.
import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isErrandError } from '@errand/contract';
import type { Stream } from '@errand/contract';
import type { LogWriter } from '@errand/core';
import { expect } from 'vitest';
import { at, entriesOf, view } from './subject.ts';
import type { LastingLogsSubject, LogsScenario, LogsSubject } from './subject.ts';

const kibi = 1024;
/** Enough that linking pays. */
const large = 128 * kibi;

/** A job's output files on this machine, which only grow. */
interface Source extends AsyncDisposable {
  readonly paths: Readonly<Record<Stream, string>>;
  /** The job writes, and the writer is given what it wrote together with the place. */
  give(writer: LogWriter, stream: Stream, bytes: Uint8Array): Promise<string>;
}

async function openSource(): Promise<Source> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-source-'));
  const paths = { stdout: join(directory, 'out'), stderr: join(directory, 'err') };
  const offsets = { stdout: 0, stderr: 0 };
  for (const path of Object.values(paths)) await writeFile(path, '');
  return {
    paths,
    async give(writer, stream, bytes) {
      await appendFile(paths[stream], bytes);
      const offset = offsets[stream];
      offsets[stream] += bytes.length;
      await writer.append(stream, bytes, at(`${offsets.stdout}+${offsets.stderr}`), { path: paths[stream], offset });
      return textOf(bytes);
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Plain letters, so that text and bytes are the same. */
const chunkOf = (size: number) => randomBytes(size).fill(randomBytes(size).toString('base64url'));
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const texts = async ({ logs }: LogsSubject, ...[epoch, options]: Parameters<typeof view>) =>
  (await entriesOf(logs.read('r', view(epoch, options), undefined))).map((entry) => entry.text);

export const linked: LogsScenario = {
  name: 'keeps bytes that lie in a file already, also when that file is removed',
  run: async (subject) => {
    const { logs } = subject;
    const written: { stream: Stream; text: string }[] = [];
    {
      await using source = await openSource();
      await using writer = await logs.writer('r', 1);
      for (const [i, size] of [5, 70 * kibi, 20 * kibi, 1, 300 * kibi, 64 * kibi, 3, 16 * kibi, 1100 * kibi].entries()) {
        const stream = i % 4 === 3 ? 'stderr' : 'stdout';
        written.push({ stream, text: await source.give(writer, stream, chunkOf(size)) });
        const between = chunkOf(size % 1000);
        await writer.append('stderr', between, at(`between ${i}`));
        if (between.length > 0) written.push({ stream: 'stderr', text: textOf(between) });
      }
      written.push({ stream: 'stderr', text: await source.give(writer, 'stderr', chunkOf(large)) });
      expect((await logs.tail('r', 1)).position?.cursor).toMatch(/^\d+\+\d+$/);
    }
    const all = await entriesOf(logs.read('r', view(1, { complete: true }), undefined));
    expect(all.map(({ stream, text }) => ({ stream, text }))).toEqual(written);
    for (const [i, { cursor }] of all.entries()) {
      for (const stream of [undefined, 'stdout', 'stderr'] as const) {
        const rest = all.slice(i + 1).filter((entry) => !stream || entry.stream === stream);
        expect(await entriesOf(logs.read('r', view(1), cursor, stream))).toEqual(rest);
      }
    }
  },
};

export const linkedTakeover: LogsScenario = {
  name: 'goes on with the same file after a takeover and after being opened again, and hides what a fenced writer adds',
  run: async (subject) => {
    const { logs } = subject;
    await using source = await openSource();
    const expected: string[] = [];
    for (let again = 0; again < 2; again++) {
      await using writer = await logs.writer('r', 1);
      expected.push(await source.give(writer, 'stdout', chunkOf(large)));
    }
    const seal = await logs.tail('r', 1);
    expect(seal.position).toEqual(at(`${2 * large}+0`));
    await using stale = await logs.writer('r', 1);
    const late = await source.give(stale, 'stdout', chunkOf(large));
    await using writer = await logs.writer('r', 2);
    await writer.append('stdout', Buffer.from(late), at('again'), { path: source.paths.stdout, offset: 2 * large });
    expected.push(late, await source.give(writer, 'stdout', chunkOf(large)));
    expect(await texts(subject, 2, { seals: [seal] })).toEqual(expected);
  },
};

export const linkedInVain: LogsScenario = {
  name: 'keeps the bytes it was given when the file has others, or is not there',
  run: async (subject) => {
    const { logs } = subject;
    await using source = await openSource();
    await writeFile(source.paths.stdout, Buffer.alloc(large));
    const bytes = chunkOf(large);
    const places = [
      { path: source.paths.stdout, offset: 0 },
      { path: source.paths.stdout, offset: 1 },
      { path: `${source.paths.stdout}.gone`, offset: 0 },
      { path: tmpdir(), offset: 0 },
    ];
    for (const [i, place] of places.entries()) {
      await using writer = await logs.writer(`r${i}`, 1);
      await writer.append('stdout', bytes, at('1'), place);
      const [entry, ...more] = await entriesOf(logs.read(`r${i}`, view(1), undefined));
      expect([entry?.text === textOf(bytes), more]).toEqual([true, []]);
    }
  },
};

export const linkedTorn: LogsScenario<LastingLogsSubject> = {
  name: 'leaves out a torn end whose bytes lie in a file, and a new watcher goes on before it',
  run: async (subject) => {
    const { logs, damage } = subject;
    await using source = await openSource();
    await using writer = await logs.writer('r', 1);
    const first = await source.give(writer, 'stdout', chunkOf(large));
    const second = await source.give(writer, 'stdout', chunkOf(large));
    await damage('r', 1, (bytes) => bytes.subarray(0, bytes.length - 1));
    expect(await texts(subject, 1)).toEqual([first]);
    const seal = await logs.tail('r', 1);
    expect(seal.position).toEqual(at(`${large}+0`));
    await using next = await logs.writer('r', 2);
    const place = { path: source.paths.stdout, offset: large };
    await next.append('stdout', Buffer.from(second), at('again'), place);
    expect(await texts(subject, 2, { seals: [seal] })).toEqual([first, second]);
  },
};

export const linkedDamaged: LogsScenario<LastingLogsSubject> = {
  name: 'gives all of it or says that it is damaged, whatever happens to the file afterwards',
  run: async (subject) => {
    await using source = await openSource();
    await using writer = await subject.logs.writer('r', 1);
    const first = await source.give(writer, 'stdout', chunkOf(large));
    const second = await source.give(writer, 'stdout', chunkOf(large));
    await truncate(source.paths.stdout, 2 * large - 1);
    const shown: string[] = [];
    const problem = await (async () => {
      const entries = subject.logs.read('r', view(1, { complete: true }), undefined);
      for await (const entry of entries) shown.push(textOf(entry.bytes));
    })().catch((error: unknown) => error);
    if (isErrandError(problem, 'log/corrupt')) expect(shown).toEqual([first]);
    else expect([problem, shown]).toEqual([undefined, [first, second]]);
  },
};
