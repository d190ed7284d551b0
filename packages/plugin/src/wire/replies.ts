// What the callers of both facets do with replies.
import type { Ask } from '@errand/contract';
import { linkError } from './link-error.ts';
import type { Link } from './link.ts';
import { Malformed } from './malformed.ts';

interface Reply {
  readonly case: string | undefined;
  readonly value?: unknown;
}

type Value<R extends Reply, K> = Extract<R, { readonly case: K }>['value'];

/** The replies of one kind; talk goes to whoever listens. */
export async function* repliesOf<R extends Reply, K extends R['case']>(
  replies: AsyncIterable<{ readonly reply: R }>,
  kind: K,
  ask: Ask,
): AsyncGenerator<Value<R, K>, void, undefined> {
  for await (const { reply } of replies) {
    if (reply.case === kind) yield reply.value as Value<R, K>;
    else if (reply.case === 'talk') ask.log(String(reply.value));
    // Anything else is newer than we are.
  }
}

/** The one result at the end of the talk. */
export async function resultOf<R extends Reply, K extends R['case']>(
  replies: AsyncIterable<{ readonly reply: R }>,
  kind: K,
  ask: Ask,
): Promise<NonNullable<Value<R, K>>> {
  let result: Value<R, K> | undefined;
  for await (const value of repliesOf(replies, kind, ask)) result = value;
  if (result === undefined || result === null) throw new Malformed(`it ended well without saying ${JSON.stringify(kind)}`);
  return result;
}

/** Runs what reads an answer, and tells what is wrong with the answer as the provider's failure. */
export async function reading<T>(link: Link, verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw linkError(link.name, verb, error);
  }
}

export async function* readingEach<T>(link: Link, verb: string, source: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* source;
  } catch (error) {
    throw linkError(link.name, verb, error);
  }
}
