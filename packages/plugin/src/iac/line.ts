// The caller's end of the public contract: each call has a deadline of its own, and an error that says what was asked.
import type { DescMessage, DescMethodServerStreaming, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Ask, Call } from '@errand/contract';
import { serverStream, unary } from '../wire/link.ts';
import type { Link } from '../wire/link.ts';
import { linkError } from '../wire/link-error.ts';
import { sendCallHeaders } from './call-headers.ts';
import { explain } from './explain.ts';
import type { About } from './explain.ts';

/** Milliseconds that a plugin may take. A signal may end a call sooner; nothing lets it take longer. */
export interface Patience {
  /** What a plugin says of itself. */
  readonly facts: number;
  /** Calls that change nothing. */
  readonly asks: number;
  /** Calls that change something; they resolve when it is usable or gone. */
  readonly changes: number;
}

export const defaultPatience: Patience = { facts: 10_000, asks: 120_000, changes: 3_600_000 };

export interface Line {
  readonly link: Link;
  readonly patience: Patience;
  /** Whether the plugin declares this type of resource. */
  readonly declares: (type: string) => boolean;
}

/** What the caller wants to know of a reply is read by `read`; what is wrong with it is told as the plugin's failure. */
export async function askFor<I extends DescMessage, O extends DescMessage, T>(
  line: Line,
  about: About & { readonly within?: number },
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  ask: Pick<Ask, 'signal'>,
  read: (reply: MessageShape<O>) => T,
): Promise<T> {
  return await send(line, about, method, request, ask, about.within ?? line.patience.asks, undefined, read);
}

export async function change<I extends DescMessage, O extends DescMessage, T>(
  line: Line,
  about: About,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  call: Call,
  read: (reply: MessageShape<O>) => T,
): Promise<T> {
  return await send(line, about, method, request, call, line.patience.changes, sendCallHeaders(call), read);
}

async function send<I extends DescMessage, O extends DescMessage, T>(
  { link }: Line,
  about: About,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  { signal }: Pick<Ask, 'signal'>,
  within: number,
  headers: Readonly<Record<string, string>> | undefined,
  read: (reply: MessageShape<O>) => T,
): Promise<T> {
  let answered = false;
  const answering = () => {
    answered = true;
  };
  const explained = { ...link, explain: (error: unknown) => explain(link.name, about, answered, error) };
  const reply = await unary(explained, method, request, { signal, deadline: Date.now() + within, headers, answering });
  try {
    return read(reply);
  } catch (error) {
    throw linkError(link.name, about.verb, error);
  }
}

/** No deadline: a log may be followed for as long as somebody reads. */
export async function* askForEach<I extends DescMessage, O extends DescMessage>(
  { link }: Line,
  about: About,
  method: DescMethodServerStreaming<I, O>,
  request: MessageInitShape<I>,
  { signal }: Pick<Ask, 'signal'>,
): AsyncGenerator<MessageShape<O>, void, undefined> {
  const explained = { ...link, explain: (error: unknown) => explain(link.name, about, false, error) };
  yield* serverStream(explained, method, request, signal);
}

export const nothing = () => undefined;
