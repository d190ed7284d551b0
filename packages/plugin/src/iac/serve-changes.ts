// Many changes in one call, each with an end of its own.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ErrandError } from '@errand/contract';
import type { Ask } from '@errand/contract';
import type { Change, ChangeManyResponseSchema, ChangeReplySchema } from '../gen/errand/v1/driver_pb.js';
import { asErrandError, detailsOf } from '../wire/error-details.ts';
import { shorten } from '../wire/limits.ts';
import { Malformed } from '../wire/malformed.ts';

export type ChangeCase = Change['change'];
type Reply = MessageInitShape<typeof ChangeReplySchema>;
type Replies = MessageInitShape<typeof ChangeManyResponseSchema>;

/** Talk beyond this that the caller has not taken yet is dropped. */
const mostTalk = 64;
/** How much goes into one message, apart from a single output that is bigger. */
const mostBytes = 512 * 1024;

/** Resolves when the last of them has ended. The caller's leaving ends all of them. */
export async function changeMany(
  changes: readonly ChangeCase[],
  change: (wanted: ChangeCase, ask: Ask) => Promise<Uint8Array>,
  ask: Ask,
  send: (replies: Replies) => Promise<void>,
): Promise<void> {
  const replies = gathering(send);
  const each = changes.map(async (wanted, index) => {
    const log = (line: string) => {
      if (replies.waiting() < mostTalk) replies.add({ index, reply: { case: 'talk', value: shorten(line) } });
    };
    try {
      const value = await change(wanted, { ...ask, log });
      replies.add({ index, reply: { case: 'outputJson', value } }, value.length);
    } catch (error) {
      ask.signal.throwIfAborted();
      replies.add({ index, reply: { case: 'error', value: detailsOf(told(error)) } });
    }
  });
  await Promise.all(each);
  await replies.sent();
}

/** What ends in the same moment is told in one message, so that its caller can record it together. */
function gathering(send: (replies: Replies) => Promise<void>) {
  const waiting: { readonly reply: Reply; readonly size: number }[] = [];
  let sending: Promise<void> | undefined;
  const flush = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      let size = 0;
      const fits = waiting.findIndex((one, at) => (size += one.size) > mostBytes && at > 0);
      const now = waiting.splice(0, fits === -1 ? waiting.length : fits);
      await send({ replies: now.map(({ reply }) => reply) });
    }
    sending = undefined;
  };
  return {
    waiting: () => waiting.length,
    add(reply: Reply, size = 0): void {
      waiting.push({ reply, size });
      sending ??= flush();
      // Whoever waits for the end hears of a caller that left.
      sending.catch(() => undefined);
    },
    sent: async () => sending,
  };
}

function told(error: unknown): ErrandError {
  if (!(error instanceof Malformed)) return asErrandError(error);
  return new ErrandError('usage/invalid', `was asked for a change; the request cannot be used: ${error.message}`, {
    next: 'Check that both ends have the same version.',
  });
}
