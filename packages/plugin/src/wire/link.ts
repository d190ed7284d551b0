// The caller's end of a connection: three kinds of calls. A signal cancels the call and gives its own reason; streams
// are read no faster than their consumer takes, and are cancelled when it stops early.
import { once } from 'node:events';
import { Metadata } from '@grpc/grpc-js';
import type { Client, ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { ErrandError } from '@errand/contract';
import { encode, methodDefinition } from './definition.ts';
import { messageBytes } from './limits.ts';
import { linkError } from './link-error.ts';

export interface Link {
  readonly client: Client;
  readonly name: string;
  /** Asked before every call, so that a token may change. */
  readonly metadata: (() => Promise<Metadata>) | undefined;
  /** Says what an error means where another contract than ours is spoken. */
  readonly explain?: (error: unknown) => unknown;
}

export interface UnaryOptions {
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly deadline?: number;
  /** Sent beside the request; names and values in ASCII. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called when the far side begins to answer; an error that comes without it was all of its answer. */
  readonly answering?: () => void;
}

const raw = (bytes: Buffer) => bytes;

export async function unary<I extends DescMessage, O extends DescMessage>(
  link: Link,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  { signal, deadline, headers, answering }: UnaryOptions,
): Promise<MessageShape<O>> {
  const { path, responseDeserialize } = methodDefinition(method);
  const { bytes, metadata } = await prepare(link, method, request, signal, headers);
  return new Promise<MessageShape<O>>((resolve, reject) => {
    const options = deadline === undefined ? {} : { deadline };
    const call = withoutStack(() =>
      link.client.makeUnaryRequest(path, raw, responseDeserialize, bytes, metadata, options, (error, reply) => {
        signal.removeEventListener('abort', cancel);
        if (error) reject(failure(link, method, signal, error));
        else resolve(reply as MessageShape<O>);
      }),
    );
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (answering) call.once('metadata', answering);
  });
}

/** The library notes the stack of every call, for an error that we translate anyway; it costs a tenth of the call. */
function withoutStack<T>(begin: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return begin();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

export async function* serverStream<I extends DescMessage, O extends DescMessage>(
  link: Link,
  method: DescMethodServerStreaming<I, O>,
  request: MessageInitShape<I>,
  signal: AbortSignal,
  deadline?: number,
): AsyncGenerator<MessageShape<O>, void, undefined> {
  const { path, responseDeserialize } = methodDefinition(method);
  const { bytes, metadata } = await prepare(link, method, request, signal);
  const options = deadline === undefined ? {} : { deadline };
  const call = withoutStack(() => link.client.makeServerStreamRequest(path, raw, responseDeserialize, bytes, metadata, options));
  yield* replies(link, method, signal, call);
}

/** Sends the requests while the replies are read. The far side's end ends the sending. */
export async function* bidiStream<I extends DescMessage, O extends DescMessage>(
  link: Link,
  method: DescMethodBiDiStreaming<I, O>,
  requests: AsyncIterable<MessageInitShape<I>>,
  signal: AbortSignal,
): AsyncGenerator<MessageShape<O>, void, undefined> {
  const { path, responseDeserialize, requestSerialize } = methodDefinition(method);
  signal.throwIfAborted();
  const metadata = (await link.metadata?.()) ?? new Metadata();
  signal.throwIfAborted();
  const call = link.client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
  const over = new AbortController();
  void send(call, requests, over.signal);
  try {
    yield* replies(link, method, signal, call);
  } finally {
    over.abort();
  }
}

async function send<T>(call: ClientDuplexStream<T, unknown>, requests: AsyncIterable<T>, over: AbortSignal): Promise<void> {
  try {
    for await (const request of requests) {
      if (over.aborted) return;
      if (!call.write(request)) await once(call, 'drain', { signal: over });
    }
    call.end();
  } catch {
    // The call is over, or the source stopped and could not say why.
    call.cancel();
  }
}

async function* replies<T>(
  link: Link,
  method: { readonly name: string },
  signal: AbortSignal,
  call: ClientReadableStream<T>,
): AsyncGenerator<T, void, undefined> {
  const cancel = () => call.cancel();
  // After an early end nobody else listens, and an error without a listener would end the process.
  call.on('error', () => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of call.iterator({ destroyOnReturn: false })) yield message as T;
    signal.throwIfAborted();
  } catch (error) {
    throw failure(link, method, signal, error);
  } finally {
    signal.removeEventListener('abort', cancel);
    call.cancel();
  }
}

async function prepare<I extends DescMessage>(
  link: Link,
  method: { readonly name: string; readonly input: I },
  request: MessageInitShape<I>,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
): Promise<{ bytes: Buffer; metadata: Metadata }> {
  signal.throwIfAborted();
  const bytes = encode(method.input, request);
  if (bytes.length > messageBytes) {
    throw new ErrandError(
      'usage/invalid',
      `tried to ask ${link.name} to ${verbOf(method)}; the request has ${bytes.length} bytes, and ${messageBytes} is the most`,
      { next: 'Put large inputs into files, in the workspace or where the resource reads them.' },
    );
  }
  const given = link.metadata && (await link.metadata());
  signal.throwIfAborted();
  // What was given may be its giver's for many calls.
  const metadata = given && headers ? given.clone() : (given ?? new Metadata());
  for (const name in headers) metadata.set(name, headers[name] ?? '');
  return { bytes, metadata };
}

function failure(link: Link, method: { readonly name: string }, signal: AbortSignal, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  return link.explain ? link.explain(error) : linkError(link.name, verbOf(method), error);
}

function verbOf(method: { readonly name: string }): string {
  return method.name.toLowerCase();
}
