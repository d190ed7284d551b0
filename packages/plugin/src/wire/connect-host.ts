import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Ask, Call, Handle, Host, TreeEntry } from '@errand/contract';
import { HostService } from '../gen/errand/v1/host_pb.js';
import type { RealizeRequestSchema } from '../gen/errand/v1/host_pb.js';
import { bidiStream, serverStream, unary } from './link.ts';
import type { Link } from './link.ts';
import { readTree } from './read-tree.ts';
import { reading, readingEach, repliesOf, resultOf } from './replies.ts';
import { treeBatches } from './send-tree.ts';
import { sendPlaceSpec } from './specs.ts';
import { readHandle, readSeen, sendCall, sendHandle, sendRef } from './values.ts';

const { acquire, renew, realize, collect, release, inventory } = HostService.method;

export function connectHost(link: Link): Host {
  return {
    acquire: (spec, call) =>
      reading(link, 'acquire', async () => {
        const request = { spec: sendPlaceSpec(spec), call: sendCall(call) };
        return readHandle('place', await resultOf(serverStream(link, acquire, request, call.signal), 'place', call));
      }),
    async renew(place, expiresAt, call) {
      await unary(link, renew, { place: sendHandle(place), expiresAt, call: sendCall(call) }, call);
    },
    realize: (place, files, call) => reading(link, 'realize', () => realizeTree(link, place, files, call)),
    collect: (place, patterns, ask) => readingEach(link, 'collect', collectTree(link, place, patterns, ask)),
    release: (place, call) =>
      reading(link, 'release', async () => {
        const request = { place: sendRef(place), call: sendCall(call) };
        await resultOf(serverStream(link, release, request, call.signal), 'done', call);
      }),
    inventory: (owner, ask) => readingEach(link, 'inventory', listPlaces(link, owner, ask)),
  };
}

async function realizeTree(link: Link, place: Handle<'place'>, files: AsyncIterable<TreeEntry>, call: Call): Promise<void> {
  let unreadable: { readonly error: unknown } | undefined;

  async function* requests(): AsyncGenerator<MessageInitShape<typeof RealizeRequestSchema>, void, undefined> {
    yield { part: { case: 'header', value: { place: sendHandle(place), call: sendCall(call) } } };
    try {
      for await (const batch of treeBatches(files)) yield { part: { case: 'batch', value: batch } };
    } catch (error) {
      unreadable = { error };
      yield { part: { case: 'broken', value: 'the caller could not read its files' } };
      return;
    }
    yield { part: { case: 'end', value: {} } };
  }

  try {
    await resultOf(bidiStream(link, realize, requests(), call.signal), 'done', call);
  } catch (error) {
    // The far side has answered by now, so it does not go on with the half of the files while we try again.
    throw unreadable && !call.signal.aborted ? unreadable.error : error;
  }
  if (unreadable) throw unreadable.error;
}

async function* collectTree(
  link: Link,
  place: Handle<'place'>,
  patterns: readonly string[],
  ask: Ask,
): AsyncGenerator<TreeEntry, void, undefined> {
  const request = { place: sendHandle(place), patterns: [...patterns] };
  const batches = repliesOf(serverStream(link, collect, request, ask.signal), 'batch', ask);
  // A link may point anywhere: who writes the files down checks it, who only lists them need not.
  for await (const entry of readTree(batches, (_path, target) => target)) {
    if (entry.kind !== 'file') yield entry;
    else yield { ...entry, content: () => readingEach(link, 'collect', entry.content()) };
  }
}

async function* listPlaces(link: Link, owner: string, ask: Ask) {
  for await (const { seen } of serverStream(link, inventory, { owner }, ask.signal)) {
    for (const one of seen) yield readSeen('place', one);
  }
}
