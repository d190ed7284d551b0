import type { LogView } from '@errand/core';
import { expect } from 'vitest';
import { at, streamOf, view, write } from './subject.ts';
import type { LogsScenario, LogsSubject } from './subject.ts';

export const followTakeover: LogsScenario = {
  name: 'follows across a takeover, every chunk once',
  run: async (subject) => {
    const { logs } = subject;
    await using stale = await logs.writer('r', 1);
    const append = (text: string, cursor: string) => stale.append(streamOf(text), Buffer.from(text), at(cursor));
    await append('a', '1');
    const following = startFollowing(subject, view(1));
    await expect.poll(() => following.texts).toEqual(['a']);
    await append('!b', '2');
    await expect.poll(() => following.texts).toEqual(['a', '!b']);

    following.view = view(2);
    // Written after the claim, before the seal: it counts, but nobody can know that yet.
    await append('c', '3');
    await subject.clock.sleep(30);
    expect(following.texts).toEqual(['a', '!b']);
    const seal = await logs.tail('r', 1);
    expect(seal.position).toEqual(at('3'));
    await append('stale', '4');
    following.view = view(2, { seals: [seal] });
    await write(logs, 'r', 2, ['d', '!e']);
    following.view = view(2, { seals: [seal], complete: true });
    await following.end;
    expect(following.texts).toEqual(['a', '!b', 'c', 'd', '!e']);
  },
};

export const followStream: LogsScenario = {
  name: 'follows one stream from a cursor and ends when the log is complete',
  run: async (subject) => {
    await write(subject.logs, 'r', 1, ['!a', 'b', '!c']);
    const seal = await subject.logs.tail('r', 1);
    const following = startFollowing(subject, view(2, { seals: [seal] }), { stream: 'stderr', since: `1.${seal.bytes}` });
    await write(subject.logs, 'r', 2, ['d', '!e', 'f']);
    await expect.poll(() => following.texts).toEqual(['!e']);
    following.view = view(2, { seals: [seal], complete: true });
    await following.end;
    expect(following.texts).toEqual(['!e']);
  },
};

export const followSignal: LogsScenario = {
  name: 'stops following on its signal',
  run: async (subject) => {
    const controller = new AbortController();
    await write(subject.logs, 'r', 1, ['a']);
    const following = startFollowing(subject, view(1), { signal: controller.signal });
    await expect.poll(() => following.texts).toEqual(['a']);
    controller.abort();
    await following.end;
  },
};

interface Following {
  view: LogView;
  readonly texts: string[];
  readonly end: Promise<void>;
}

function startFollowing(subject: LogsSubject, first: LogView, options: Parameters<LogsSubject['follow']>[2] = {}): Following {
  const { logs, clock } = subject;
  const texts: string[] = [];
  const collect = async () => {
    const deps = { logs, clock, view: () => Promise.resolve(following.view) };
    for await (const entry of subject.follow(deps, 'r', options)) texts.push(Buffer.from(entry.bytes).toString());
  };
  const following: Following = { view: first, texts, end: Promise.resolve().then(collect) };
  return following;
}
