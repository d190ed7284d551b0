import { expect } from '../expect.ts';
import type { TreeEntry } from '@errand/contract';
import { needsRunner } from './scenario.ts';
import type { HostScenario } from './scenario.ts';
import { directory, file, link } from './world.ts';

const tree: readonly TreeEntry[] = [
  directory('src'),
  file('src/main.sh', '#!/bin/sh\necho hello\n', 0o755),
  file('src/data.txt', 'x'.repeat(300_000), 0o640),
  file('deep/er/still.txt', 'parents are made'),
  directory('empty'),
  file('nothing', ''),
  file('ünïcödé ✓/日本 語.txt', 'non-ASCII'),
  file('.hidden', 'dot'),
  link('to-data', 'src/data.txt'),
  link('src/up', '../nothing'),
  link('dangling', 'no/such/file'),
];

export const realizeTree: HostScenario = {
  name: 'files arrive with content, mode, links, empty directories and non-ASCII names',
  unless: needsRunner,
  async run(world) {
    const { place } = await world.acquire();
    await world.realize(place, tree);
    const script = [
      'test "$(./src/main.sh)" = hello',
      'test -d empty && test -z "$(ls -A empty)"',
      'test -f nothing && test ! -s nothing',
      'test -L to-data && test "$(wc -c < to-data)" -eq 300000',
      'test "$(readlink src/up)" = ../nothing',
      'test -L dangling && test ! -e dangling',
      'test "$(cat "ünïcödé ✓/日本 語.txt")" = non-ASCII',
      'test "$(cat deep/er/still.txt)" = "parents are made"',
      'test "$(cat .hidden)" = dot',
      'test -x src/main.sh && echo more >> src/data.txt',
    ];
    for (const line of script) expect([line, await world.run(place, line)]).toMatchObject([line, { kind: 'exited', code: 0 }]);
    expect(await world.collect(place, 'src/main.sh')).toEqual([
      { path: 'src/main.sh', text: '#!/bin/sh\necho hello\n', mode: 0o755 },
    ]);
  },
};

async function* broken(): AsyncGenerator<TreeEntry> {
  yield file('stray', 'half');
  yield file('src/data.txt', 'half');
  throw new Error('the line was cut');
}

export const realizeAgain: HostScenario = {
  name: 'realizing again after a half-done one gives the same workspace',
  async run(world) {
    const { place } = await world.acquire();
    await expect(world.host.realize(place, broken(), world.call('r'))).rejects.toThrow('the line was cut');
    await world.realize(place, tree);
    const first = await world.collect(place, '**', '**/.*');
    await world.realize(place, tree);
    expect(await world.collect(place, '**', '**/.*')).toEqual(first);
    expect(first.map((one) => one.path)).not.toContain('stray');
    expect(first).toContainEqual({ path: 'src/data.txt', text: 'x'.repeat(300_000), mode: 0o640 });
  },
};

export const escapes: HostScenario = {
  name: 'nothing is written outside the workspace',
  async run(world) {
    const { place } = await world.acquire();
    await world.realize(place, [file('kept', 'yes')]);
    const bad: readonly (readonly TreeEntry[])[] = [
      [file('../escape', 'x')],
      [file('/tmp/errand-escape', 'x')],
      [file('a/../../escape', 'x')],
      [file('a//b', 'x')],
      [link('out', '/etc')],
      [link('a/out', '../../..')],
      [link('loop', '.'), file('loop/x', 'y')],
      [directory('real'), link('alias', 'real'), file('alias/file', 'x')],
      [file('plain', 'x'), file('plain/below', 'x')],
    ];
    for (const entries of bad) {
      await expect(world.realize(place, entries)).rejects.toMatchObject({ code: 'workspace/escape' });
    }
    expect(await world.collect(place, '**')).toMatchObject([{ path: 'kept', text: 'yes' }]);
  },
};

export const patterns: HostScenario = {
  name: 'collect gives the files that match any pattern',
  async run(world) {
    const { place } = await world.acquire();
    const names = ['a.txt', 'b.log', 'out/a.txt', 'out/b.log', 'out/deep/c.txt', 'out/deep/d.bin', 'ü/x.txt', 'with space/y.txt'];
    await world.realize(place, [...names.map((name) => file(name, name)), directory('out/none')]);
    const paths = async (...wanted: string[]) => (await world.collect(place, ...wanted)).map((one) => one.path);
    expect(await paths('a.txt')).toEqual(['a.txt']);
    expect(await paths('*.txt')).toEqual(['a.txt']);
    expect(await paths('**/*.txt')).toEqual(['a.txt', 'out/a.txt', 'out/deep/c.txt', 'with space/y.txt', 'ü/x.txt']);
    expect(await paths('out/*')).toEqual(['out/a.txt', 'out/b.log']);
    expect(await paths('out/**')).toEqual(['out/a.txt', 'out/b.log', 'out/deep/c.txt', 'out/deep/d.bin']);
    expect(await paths('out/?.{log,bin}', 'b.*', 'b.log')).toEqual(['b.log', 'out/b.log']);
    expect(await paths('no/such/*')).toEqual([]);
    expect(await paths()).toEqual([]);
    expect(await world.collect(place, 'out/deep/c.txt')).toMatchObject([{ text: 'out/deep/c.txt' }]);
  },
};

export const everything: HostScenario = {
  name: 'collecting `.` gives every file, also those whose names, or whose directories, begin with a dot',
  async run(world) {
    const { place } = await world.acquire();
    const names = ['.a', '.d/.e/.f', '.d/.e/g', '.d/h', 'i/.j', 'k'];
    await world.realize(
      place,
      names.map((name) => file(name, name)),
    );
    expect((await world.collect(place, '.')).map((one) => one.path)).toEqual(names);
  },
};

export const links: HostScenario = {
  name: 'collect gives links as links and never follows one',
  unless: needsRunner,
  async run(world) {
    const { place } = await world.acquire();
    await world.run(place, 'mkdir d; echo x > d/f; ln -s d alias; ln -s /etc out; ln -s d/f file; mkfifo pipe 2>/dev/null; true');
    expect(await world.collect(place, '**')).toMatchObject([
      { path: 'alias', target: 'd' },
      { path: 'd/f', text: 'x\n' },
      { path: 'file', target: 'd/f' },
      { path: 'out', target: '/etc' },
    ]);
  },
};
