import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { ErrandError, safeLink } from '@errand/contract';
import type { Host } from '@errand/contract';
import { HostService } from '../gen/errand/v1/host_pb.js';
import type { RealizeRequest } from '../gen/errand/v1/host_pb.js';
import type { TreeBatch } from '../gen/errand/v1/tree_pb.js';
import { answer, answerBidi, answerStream } from './answer.ts';
import type { AnswerOptions } from './answer.ts';
import { batched } from './batches.ts';
import { batchItems } from './limits.ts';
import { Malformed } from './malformed.ts';
import { readTree } from './read-tree.ts';
import { treeBatches } from './send-tree.ts';
import { readPlaceSpec } from './specs.ts';
import { readCall, readHandle, readRef, sendHandle, sendSeen } from './values.ts';

const methods = HostService.method;

export function serveHost(host: Host, options: AnswerOptions): UntypedServiceImplementation {
  return {
    acquire: answerStream(options, methods.acquire, async ({ spec, call }, ask, send) => {
      const place = await host.acquire(readPlaceSpec(spec), { ...ask, ...readCall(call) });
      await send({ reply: { case: 'place', value: sendHandle(place) } });
    }),
    renew: answer(options, methods.renew, async ({ place, expiresAt, call }, ask) => {
      await host.renew(readHandle('place', place), expiresAt, { ...ask, ...readCall(call) });
      return {};
    }),
    realize: answerBidi(options, methods.realize, async (requests, ask, send) => {
      const rest = requests[Symbol.asyncIterator]();
      const first: IteratorResult<RealizeRequest> = await rest.next();
      if (first.done || first.value.part.case !== 'header') throw new Malformed('the header is missing');
      const { place, call } = first.value.part.value;
      const files = readTree(batchesOf(rest), safeLink);
      await host.realize(readHandle('place', place), files, { ...ask, ...readCall(call) });
      await send({ reply: { case: 'done', value: {} } });
    }),
    collect: answerStream(options, methods.collect, async ({ place, patterns }, ask, send) => {
      const entries = host.collect(readHandle('place', place), patterns, ask);
      for await (const batch of treeBatches(entries)) await send({ reply: { case: 'batch', value: batch } });
    }),
    release: answerStream(options, methods.release, async ({ place, call }, ask, send) => {
      await host.release(readRef('place', place), { ...ask, ...readCall(call) });
      await send({ reply: { case: 'done', value: {} } });
    }),
    inventory: answerStream(options, methods.inventory, async ({ owner }, ask, send) => {
      for await (const seen of batched(host.inventory(owner, ask), batchItems, () => 1)) {
        await send({ seen: seen.map(sendSeen) });
      }
    }),
  };
}

/** Up to the word that it was all: a stream that merely stops is half a tree. */
async function* batchesOf(requests: AsyncIterator<RealizeRequest>): AsyncGenerator<TreeBatch, void, undefined> {
  for (;;) {
    const { value, done } = await requests.next();
    if (done) throw new Malformed('the files stop without an end');
    const { part } = value;
    if (part.case === 'end') return;
    if (part.case === 'broken') throw new ErrandError('workspace/failed', `tried to fill a workspace: ${part.value}`);
    if (part.case !== 'batch') throw new Malformed('between the header and the end there are only batches');
    yield part.value;
  }
}
