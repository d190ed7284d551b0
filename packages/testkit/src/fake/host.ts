import { ErrandError, pathMatcher, safeLink, safePath } from '@errand/contract';
import type { Ask, Call, Handle, Host, Seen, TreeEntry } from '@errand/contract';
import type { FakeCloud } from './cloud.ts';
import type { Method } from './manners.ts';
import * as requests from './requests.ts';
import type { CloudState, FileRecord, PlaceRecord } from './state.ts';
import { startsRunning } from './timeline.ts';

export function fakeHost(cloud: FakeCloud, provider: string): Host {
  const handle = (place: PlaceRecord): Handle<'place'> => ({ kind: 'place', provider, version: 1, state: place.id });
  const asked = (call: Call, now: number) => ({
    now,
    key: call.key,
    epoch: call.epoch,
    nativeTimeout: cloud.traits.nativeTimeout,
  });

  return {
    acquire: (spec, call) =>
      cloud.manners.deliver('host.acquire', call.signal, () =>
        handle(cloud.step((state, now) => requests.acquire(state, asked(call, now), spec.owner, spec.expiresAt))),
      ),
    renew: (place, expiresAt, call) =>
      cloud.manners.deliver('host.renew', call.signal, () =>
        cloud.step((state, now) => requests.renew(state, asked(call, now), placeId(place), expiresAt)),
      ),
    async realize(place, entries, call) {
      const files = await readAll(entries);
      await cloud.manners.deliver('host.realize', call.signal, () =>
        cloud.step((state, now) => requests.realize(state, asked(call, now), placeId(place), files)),
      );
    },
    collect: (place, patterns, ask) =>
      streamed(cloud, 'host.collect', ask, () =>
        cloud.step((state, now) => Object.entries(filesIn(state, placeId(place), now)).flatMap(matching(patterns))),
      ),
    release: (place, call) =>
      cloud.manners.deliver('host.release', call.signal, () =>
        cloud.step((state, now) =>
          requests.release(state, { ...asked(call, now), key: place.key }, place.handle && placeId(place.handle)),
        ),
      ),
    inventory: (owner, ask) =>
      streamed(cloud, 'host.inventory', ask, () =>
        cloud.step((state, now) =>
          state.places
            .filter((place) => place.owner === owner && place.goneAt === undefined)
            .filter((place) => place.createdAt + cloud.traits.listLag <= now)
            .map((place): Seen<'place'> => ({ key: place.key, handle: handle(place), expiresAt: place.expiresAt, alive: true })),
        ),
      ),
  };
}

/** A list that breaks off where the manners say so. */
export async function* streamed<T>(cloud: FakeCloud, method: Method, ask: Ask, list: () => readonly T[]): AsyncIterable<T> {
  const manners = await cloud.manners.stream(method, ask.signal);
  for (const item of list()) {
    await manners.item();
    yield item;
    ask.signal.throwIfAborted();
  }
  await manners.end();
}

export function placeId(handle: Handle<'place'>): string {
  if (typeof handle.state !== 'string') throw new ErrandError('provider/failed', 'this is not a handle of the fake cloud');
  return handle.state;
}

async function readAll(entries: AsyncIterable<TreeEntry>): Promise<Record<string, FileRecord>> {
  const files: Record<string, FileRecord> = {};
  for await (const entry of entries) {
    const path = safePath(entry.path);
    refuseThrough(files, path);
    if (entry.kind === 'directory') files[path] = { kind: 'directory', mode: entry.mode, content: '' };
    else if (entry.kind === 'link') files[path] = { kind: 'link', mode: 0o777, content: safeLink(path, entry.target) };
    else {
      const parts: Uint8Array[] = [];
      for await (const part of entry.content()) parts.push(part);
      files[path] = { kind: 'file', mode: entry.mode, content: Buffer.concat(parts).toString('base64') };
    }
  }
  return files;
}

/** Below a file there is nothing, and below a link is somewhere else. */
function refuseThrough(files: Readonly<Record<string, FileRecord>>, path: string): void {
  const parts = path.split('/');
  for (let count = 1; count < parts.length; count++) {
    const parent = parts.slice(0, count).join('/');
    if (files[parent] === undefined || files[parent].kind === 'directory') continue;
    throw new ErrandError('workspace/escape', `refused ${path}: ${parent} is a ${files[parent].kind}`);
  }
}

/** What was put there, and what jobs have written until `now`. */
export function filesIn(state: CloudState, id: string, now: number): Record<string, FileRecord> {
  const place = state.places.find((candidate) => candidate.id === id);
  const files = { ...place?.files };
  for (const job of state.jobs.slice(place?.replaced ?? 0).filter((candidate) => candidate.place === id)) {
    const runsAt = startsRunning(job) ?? Infinity;
    for (const file of job.script.files) {
      if (runsAt + file.at > Math.min(now, job.ended?.at ?? now)) continue;
      files[file.path] = { kind: 'file', mode: 0o644, content: Buffer.from(file.text).toString('base64') };
    }
  }
  return files;
}

function matching(patterns: readonly string[]) {
  const matches = pathMatcher(patterns);
  return ([path, file]: [string, FileRecord]): TreeEntry[] => {
    if (!matches(path)) return [];
    if (file.kind === 'directory') return [];
    if (file.kind === 'link') return [{ kind: 'link', path, target: file.content }];
    const bytes = Buffer.from(file.content, 'base64');
    const content = async function* () {
      yield bytes;
    };
    return [{ kind: 'file', path, mode: file.mode, size: bytes.length, content }];
  };
}
