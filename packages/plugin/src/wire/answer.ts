// The answering end: one wrapper per kind of call. Each asks whether the caller may, turns a cancelled call into a
// signal, sends no faster than the caller reads, and ends with a result or a typed error.
import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import type {
  Metadata,
  ServerDuplexStream,
  ServerWritableStream,
  handleBidiStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
} from '@grpc/grpc-js';
import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { ErrandError, isErrandError } from '@errand/contract';
import type { Ask } from '@errand/contract';
import { asErrandError, failureOf } from './error-details.ts';
import type { Failure } from './error-details.ts';
import { shorten } from './limits.ts';
import { Malformed } from './malformed.ts';

export interface Caller {
  readonly metadata: Metadata;
  /** `/errand.v1.HostService/Acquire`. */
  readonly path: string;
  /** An address, for logs. */
  readonly peer: string;
}

export interface AnswerOptions {
  /** Throws when the caller may not. Asked before anything of the call is looked at. */
  readonly authorize?: ((caller: Caller) => void | Promise<void>) | undefined;
  /** How an error crosses where another contract than ours is spoken. */
  readonly fail?: ((error: ErrandError) => Failure) | undefined;
}

/** Resolves when there is room for more. */
type Send<O extends DescMessage> = (message: MessageInitShape<O>) => Promise<void>;

export function answer<I extends DescMessage, O extends DescMessage>(
  options: AnswerOptions,
  method: DescMethodUnary<I, O>,
  work: (request: MessageShape<I>, ask: Ask, metadata: Metadata) => Promise<MessageInitShape<O>>,
): handleUnaryCall<MessageShape<I>, MessageInitShape<O>> {
  return (call, reply) => {
    authorized(options, call, method, (signal) => work(call.request, { signal, log: () => undefined }, call.metadata)).then(
      (message) => reply(null, message),
      (error: unknown) => reply(failureFrom(options, method, error)),
    );
  };
}

export function answerStream<I extends DescMessage, O extends DescMessage>(
  options: AnswerOptions,
  method: DescMethodServerStreaming<I, O>,
  work: (request: MessageShape<I>, ask: Ask, send: Send<O>) => Promise<void>,
): handleServerStreamingCall<MessageShape<I>, MessageInitShape<O>> {
  return (call) => {
    authorized(options, call, method, (signal) =>
      work(call.request, { signal, log: talk(call, method) }, sendTo(call, signal)),
    ).then(
      () => call.end(),
      (error: unknown) => call.emit('error', failureFrom(options, method, error)),
    );
  };
}

export function answerBidi<I extends DescMessage, O extends DescMessage>(
  options: AnswerOptions,
  method: DescMethodBiDiStreaming<I, O>,
  work: (requests: AsyncIterable<MessageShape<I>>, ask: Ask, send: Send<O>) => Promise<void>,
): handleBidiStreamingCall<MessageShape<I>, MessageInitShape<O>> {
  return (call) => {
    authorized(options, call, method, (signal) =>
      work(requestsOf(call, signal), { signal, log: talk(call, method) }, sendTo(call, signal)),
    ).then(
      () => call.end(),
      (error: unknown) => call.emit('error', failureFrom(options, method, error)),
    );
  };
}

async function authorized<T>(
  { authorize }: AnswerOptions,
  call: Cancellable & { readonly metadata: Metadata; getPeer(): string },
  method: { readonly parent: { readonly typeName: string }; readonly name: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (authorize) {
    const caller = { metadata: call.metadata, path: `/${method.parent.typeName}/${method.name}`, peer: call.getPeer() };
    try {
      await authorize(caller);
    } catch (error) {
      throw new Refused(asErrandError(error));
    }
  }
  return whileCalled(call, work);
}

/** Tells "we do not know you" from a platform that refused us. */
class Refused extends Error {
  readonly refusal: ErrandError;

  constructor(refusal: ErrandError) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
  }
}

function failureFrom({ fail = failureOf }: AnswerOptions, method: { readonly name: string }, error: unknown): Failure {
  if (error instanceof Refused) {
    const { refusal } = error;
    return isErrandError(refusal, 'provider/auth') ? failureOf(refusal, status.UNAUTHENTICATED) : failureOf(refusal);
  }
  if (error instanceof Malformed) {
    const message = `was asked to ${method.name.toLowerCase()}; the request cannot be used: ${error.message}`;
    return fail(new ErrandError('usage/invalid', message, { next: 'Check that both ends have the same version.' }));
  }
  return fail(asErrandError(error));
}

interface Cancellable {
  readonly cancelled: boolean;
  on(event: 'cancelled', listener: () => void): unknown;
  off(event: 'cancelled', listener: () => void): unknown;
}

/** Runs the work with a signal that says: the caller has gone. grpc-js says so after a call's regular end, too. */
async function whileCalled<T>(call: Cancellable, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(new ErrandError('provider/unreachable', 'the caller has gone or given up'));
  if (call.cancelled) abort();
  else call.on('cancelled', abort);
  try {
    return await work(controller.signal);
  } finally {
    call.off('cancelled', abort);
  }
}

function sendTo<T>(call: ServerWritableStream<unknown, T> | ServerDuplexStream<unknown, T>, signal: AbortSignal) {
  return async (message: T): Promise<void> => {
    signal.throwIfAborted();
    if (!call.write(message)) await once(call, 'drain', { signal });
  };
}

/** Talk is dropped rather than piled up before a caller that does not read, and where the replies have no room for it. */
function talk(
  call: { readonly writableNeedDrain: boolean; write(message: never): boolean },
  { output }: { readonly output: DescMessage },
): (line: string) => void {
  const hasRoom = output.field['talk'] !== undefined;
  return (line) => {
    if (!hasRoom || call.writableNeedDrain) return;
    call.write({ reply: { case: 'talk', value: shorten(line) } } as never);
  };
}

async function* requestsOf<T>(call: ServerDuplexStream<T, unknown>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  try {
    for await (const message of call.iterator({ destroyOnReturn: false })) yield message as T;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
