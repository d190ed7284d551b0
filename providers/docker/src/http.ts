// HTTP over the engine's socket. Small on purpose: loading a general Docker library takes longer than many a container.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { addAbortSignal, Readable } from 'node:stream';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Target } from './address.ts';
import { EngineFailure } from './client.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly stream?: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

export interface Reply {
  readonly status: number;
  /** Undefined when the answer has no JSON body. */
  readonly json: unknown;
}

export interface Http {
  /** Any status is an answer; only a connection that fails throws. */
  readonly ask: (request: HttpRequest) => Promise<Reply>;
  /** The body of a good answer as it comes; any other is thrown. */
  readonly open: (request: HttpRequest) => Promise<IncomingMessage>;
  /** The bare connection behind a good answer. The signal ends the asking, not the connection that it got. */
  readonly upgrade: (request: HttpRequest) => Promise<Duplex>;
  readonly close: () => void;
}

export function createHttp(target: Target): Http {
  const secure = 'host' in target && target.tls !== undefined;
  // Not by import: that reads every export of the module, one of which loads a whole second client.
  const { Agent, request: begin } = secure ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  const agent = new Agent({ keepAlive: true });
  const base: RequestOptions & { readonly servername?: string } =
    'socketPath' in target
      ? // A socket has no server name; told so, Node need not find out that `docker` is no IP address, which takes it 6 ms.
        { agent, socketPath: target.socketPath, servername: '' }
      : { agent, host: target.host, port: target.port, ...(typeof target.tls === 'object' ? target.tls : {}) };

  function begun(asked: HttpRequest, own: Readonly<Record<string, string | number>>) {
    asked.signal.throwIfAborted();
    const query = asked.query ? `?${new URLSearchParams(asked.query).toString()}` : '';
    const headers = { host: 'docker', ...own, ...asked.headers };
    // On a connection that was idle nobody can tell a request that was never seen from one whose answer was lost. What
    // must not be sent twice therefore gets a connection of its own.
    const line = isRepeatable(asked) ? {} : { agent: false as const };
    const request = begin({
      ...base,
      ...line,
      method: asked.method,
      path: `${asked.path}${query}`,
      headers,
      signal: asked.signal,
    });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      // More than one may come, and only the first has a listener waiting.
      request.on('error', reject);
    });
    return { request, answer };
  }

  async function send(asked: HttpRequest, again = true): Promise<IncomingMessage> {
    const body = asked.body === undefined ? undefined : Buffer.from(JSON.stringify(asked.body));
    const type = body ? { 'content-type': 'application/json' } : {};
    const length = asked.method === 'GET' || asked.method === 'HEAD' ? {} : { 'content-length': body?.length ?? 0 };
    const { request, answer } = begun(asked, { ...type, ...length });
    try {
      request.end(body);
      return await answer;
    } catch (error) {
      asked.signal.throwIfAborted();
      // The engine may have closed a connection that we meant to use once more, and has not seen this request.
      if (again && isRepeatable(asked) && request.reusedSocket && codeOf(error) === 'ECONNRESET') return send(asked, false);
      throw connectionFailure(error);
    }
  }

  /** The engine may answer before it has read everything; its answer says more than the broken pipe that follows it. */
  async function upload(asked: HttpRequest, stream: AsyncIterable<Uint8Array>): Promise<Reply> {
    const { request, answer } = begun(asked, { 'content-type': 'application/x-tar' });
    let trouble: { readonly error: unknown } | undefined;
    async function* source() {
      try {
        yield* stream;
      } catch (error) {
        trouble = { error };
        throw error;
      }
    }
    const sending = pipeline(Readable.from(source(), { objectMode: false }), request);
    sending.catch(() => undefined);
    try {
      const response = addAbortSignal(asked.signal, await answer);
      return { status: response.statusCode ?? 0, json: parse(await textOf(response, asked.signal)) };
    } catch (error) {
      asked.signal.throwIfAborted();
      if (trouble) throw trouble.error;
      throw connectionFailure(error);
    } finally {
      request.destroy();
      await sending.catch(() => undefined);
    }
  }

  async function upgrade(asked: HttpRequest): Promise<Duplex> {
    const connecting = new AbortController();
    const giveUp = () => connecting.abort(asked.signal.reason);
    asked.signal.addEventListener('abort', giveUp, { once: true });
    const body = Buffer.from(JSON.stringify(asked.body ?? {}));
    const own = { 'content-type': 'application/json', 'content-length': body.length, connection: 'Upgrade', upgrade: 'tcp' };
    try {
      const { request, answer } = begun({ ...asked, signal: connecting.signal }, own);
      const socket = new Promise<Duplex>((resolve) => {
        request.once('upgrade', (_, duplex, head) => {
          duplex.unshift(head);
          resolve(duplex);
        });
      });
      request.end(body);
      const got = await Promise.race([socket, answer.then((refused) => ({ refused }))]);
      if (!('refused' in got)) return got;
      throw refusal(got.refused.statusCode ?? 0, parse(await textOf(got.refused, asked.signal)));
    } catch (error) {
      asked.signal.throwIfAborted();
      throw connectionFailure(error);
    } finally {
      asked.signal.removeEventListener('abort', giveUp);
    }
  }

  return {
    async ask(asked) {
      if (asked.stream) return upload(asked, asked.stream);
      const response = addAbortSignal(asked.signal, await send(asked));
      const text = await textOf(response, asked.signal);
      return { status: response.statusCode ?? 0, json: parse(text) };
    },
    async open(asked) {
      const response = addAbortSignal(asked.signal, await send(asked));
      const status = response.statusCode ?? 0;
      if (status < 300) return response;
      throw refusal(status, parse(await textOf(response, asked.signal)));
    },
    upgrade,
    close: () => agent.destroy(),
  };
}

const isRepeatable = ({ method }: HttpRequest) => method === 'GET' || method === 'DELETE';

/** A body's bytes; a connection that breaks is our failure, an abort is the caller's reason. */
export async function* bodyOf(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of response) yield bytes as Buffer;
  } catch (error) {
    signal.throwIfAborted();
    throw connectionFailure(error);
  }
  // An answer that ends early ends without an error of its own.
  if (!response.complete) throw new EngineFailure('the engine’s answer ended early', { code: 'ECONNRESET' });
}

async function textOf(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const bytes of bodyOf(response, signal)) parts.push(bytes);
  return Buffer.concat(parts).toString();
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { message: text.trim() };
  }
}

export function refusal(status: number, json: unknown): EngineFailure {
  const said = typeof json === 'object' && json !== null && 'message' in json ? String(json.message).trim() : `status ${status}`;
  return new EngineFailure(said, { status });
}

function connectionFailure(error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof EngineFailure || code === undefined) return error;
  return new EngineFailure((error as Error).message, { code, cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
