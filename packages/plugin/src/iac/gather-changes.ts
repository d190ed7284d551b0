// Changes that are asked for in the same moment go in one call: for resources that are made quickly, the call itself is most of
// what they cost.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SecretCall } from '@errand/contract';
import { DriverService } from '../gen/errand/v1/driver_pb.js';
import type { ChangeSchema } from '../gen/errand/v1/driver_pb.js';
import { errorOf } from '../wire/error-details.ts';
import { serverStream } from '../wire/link.ts';
import { Malformed } from '../wire/malformed.ts';
import { resultOf } from '../wire/replies.ts';
import type { Line } from './line.ts';

const methods = DriverService.method;

export type ChangeCase = NonNullable<MessageInitShape<typeof ChangeSchema>['change']> & { readonly case: string };

/** Resolves to the output, as JSON. */
export type Change = (wanted: ChangeCase, call: SecretCall) => Promise<Uint8Array>;

interface Waiting {
  readonly wanted: ChangeCase;
  readonly call: SecretCall;
  readonly resolve: (output: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** What one call holds at most. */
const mostChanges = 100;
const mostBytes = 512 * 1024;

/** A change whose signal fires is left behind at once; the far side hears of it when all of its call are. */
export function gatherChanges(line: Line, many: boolean): Change {
  if (!many) return (wanted, call) => alone(line, wanted, call);
  let waiting: Waiting[] = [];
  const flush = () => {
    const all = waiting;
    waiting = [];
    for (const batch of batchesOf(all)) {
      const [first] = batch;
      if (batch.length > 1 || !first) void together(line, batch);
      else alone(line, first.wanted, first.call).then(first.resolve, first.reject);
    }
  };
  return (wanted, call) =>
    new Promise((resolve, reject) => {
      // When all that follows from the same news has been asked for; before anything else, such as a write to the disk, that
      // would keep the far side waiting.
      if (waiting.push({ wanted, call, resolve, reject }) === 1) process.nextTick(flush);
    });
}

function* batchesOf(all: readonly Waiting[]): Generator<readonly Waiting[], void, undefined> {
  let batch: Waiting[] = [];
  let size = 0;
  for (const one of all) {
    const own = one.wanted.value?.specJson?.length ?? 0;
    if (batch.length > 0 && (batch.length >= mostChanges || size + own > mostBytes)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(one);
    size += own;
  }
  if (batch.length > 0) yield batch;
}

function alone({ link, patience }: Line, wanted: ChangeCase, call: SecretCall): Promise<Uint8Array> {
  const due = Date.now() + patience.changes;
  const { signal } = call;
  if (wanted.case === 'create') {
    return resultOf(serverStream(link, methods.create, wanted.value, signal, due), 'outputJson', call);
  }
  if (wanted.case === 'update') {
    return resultOf(serverStream(link, methods.update, wanted.value, signal, due), 'outputJson', call);
  }
  return resultOf(serverStream(link, methods.replace, wanted.value, signal, due), 'outputJson', call);
}

async function together({ link, patience }: Line, batch: readonly Waiting[]): Promise<void> {
  const over = new AbortController();
  const open = new Map(batch.entries());
  const left = batch.map(({ call: { signal }, reject }, index) => {
    const leave = () => {
      reject(signal.reason);
      if (open.delete(index) && open.size === 0) over.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return () => signal.removeEventListener('abort', leave);
  });
  try {
    const changes = batch.map(({ wanted }) => ({ change: wanted }));
    const due = Date.now() + patience.changes;
    for await (const { replies } of serverStream(link, methods.changeMany, { changes }, over.signal, due)) {
      for (const { index, reply } of replies) {
        const one = open.get(index);
        if (reply.case === 'talk') one?.call.log(reply.value);
        else if (reply.case === 'outputJson') one?.resolve(reply.value);
        else if (reply.case === 'error') one?.reject(errorOf(reply.value));
        // Anything else is newer than we are.
        if (reply.case === 'outputJson' || reply.case === 'error') open.delete(index);
      }
    }
    for (const { reject } of open.values()) reject(new Malformed('it ended well without saying what became of the change'));
  } catch (error) {
    for (const { reject } of open.values()) reject(error);
  } finally {
    for (const forget of left) forget();
  }
}
