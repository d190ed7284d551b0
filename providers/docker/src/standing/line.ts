// A line to a shim: questions go out, replies come back by number. A shared line (process 1, attached) may lose either,
// so what is not answered is asked again; a line that stays silent is dead, and its callers take another one.
import { randomBytes } from 'node:crypto';
import type { Connection } from '../client.ts';
import { EngineFailure } from '../client.ts';
import { createReplyReader, number64, said, smallest, text, writeRequest, ask as types } from './wire.ts';
import type { Reply } from './wire.ts';

export interface Line {
  readonly shared: boolean;
  /** Fires when nothing will ever come over it again. */
  readonly over: AbortSignal;
  fits(payload: Uint8Array): boolean;
  /** Every reply up to the answer, that one last. Safe to be sent more than once. */
  ask(type: number, payload: Uint8Array, signal: AbortSignal): Promise<readonly Reply[]>;
  follow(name: string, from: Offsets | 'end', signal: AbortSignal): AsyncGenerator<Heard>;
  close(): void;
}

export interface Offsets {
  readonly stdout: number;
  readonly stderr: number;
}

export type Heard =
  | { readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer; readonly offset: number }
  | { readonly end: string };

/** So often a shared line is asked, and so long it is waited for each time; one of our own does not lose anything. */
const tries = 4;
const patience = { shared: 750, own: 15_000 };
/** A follower that heard nothing for so long asks whether anybody is there. */
const quiet = 5_000;
/** Bytes after which the shim hears how far we are; well below its window. */
const acknowledge = 64 * 1024;
const onlyEnd = 0xffffffffffffffffn;

export function createLine(connection: Connection, shared: boolean): Line {
  const client = randomBytes(8).readBigUInt64LE();
  const inboxes = new Map<number, Inbox>();
  const over = new AbortController();
  let last = 0;

  const send = (type: number, id: number, payload: Uint8Array, extra = 0) =>
    connection.send(writeRequest({ type, client, id, extra, payload }));
  const close = (reason = new EngineFailure('the line to the standing container ended', { code: 'ECONNRESET' })) => {
    connection.close();
    over.abort(reason);
    for (const inbox of inboxes.values()) inbox.ring();
  };
  const listen = async () => {
    const read = createReplyReader();
    for await (const bytes of connection.output) {
      for (const reply of read(bytes)) {
        if (reply.client !== client) continue;
        inboxes.get(reply.id)?.put(reply);
      }
    }
  };
  const ended = () => close();
  void listen().then(ended, ended);

  function openInbox() {
    const id = (last = (last + 1) >>> 0);
    const inbox = createInbox(over.signal);
    inboxes.set(id, inbox);
    return { id, inbox, [Symbol.dispose]: () => void inboxes.delete(id) };
  }

  return {
    shared,
    over: over.signal,
    fits: (payload) => !shared || payload.length + 32 <= smallest,
    close: ended,
    async ask(type, payload, signal) {
      using box = openInbox();
      for (let round = 0; round < (shared ? tries : 1); round++) {
        send(type, box.id, payload);
        const replies: Reply[] = [];
        for (;;) {
          const reply = await box.inbox.take(shared ? patience.shared : patience.own, signal);
          if (!reply) break;
          replies.push(reply);
          if (reply.type === said.answer) return replies;
        }
      }
      throw silent(close);
    },
    async *follow(name, from, signal) {
      using box = openInbox();
      const at = from === 'end' ? { stdout: 0, stderr: 0 } : { ...from };
      const told = { ...at };
      const where = () =>
        from === 'end'
          ? Buffer.concat([text(name), number64(onlyEnd), number64(onlyEnd)])
          : Buffer.concat([text(name), number64(at.stdout), number64(at.stderr)]);
      let asked = 0;
      const again = () => {
        asked = performance.now();
        send(types.follow, box.id, where(), 1);
      };
      try {
        again();
        for (let missed = 0; ;) {
          const reply = await box.inbox.take(missed > 0 ? patience.shared : quiet, signal);
          if (!reply) {
            missed += 1;
            if (missed > tries) throw silent(close);
            again();
            continue;
          }
          missed = 0;
          if (reply.type === said.end) return yield { end: reply.payload.toString() };
          if (reply.type !== said.data) continue;
          const stream = reply.extra === 2 ? 'stderr' : 'stdout';
          const offset = Number(reply.payload.readBigUInt64LE(0));
          const bytes = reply.payload.subarray(8);
          // Behind a gap, or sent once more: only what comes next counts.
          if (offset > at[stream] && performance.now() - asked > 100) again();
          if (offset > at[stream] || offset + bytes.length <= at[stream]) continue;
          const fresh = bytes.subarray(at[stream] - offset);
          at[stream] += fresh.length;
          yield { stream, bytes: fresh, offset: at[stream] };
          if (at.stdout - told.stdout + at.stderr - told.stderr < acknowledge) continue;
          Object.assign(told, at);
          send(types.follow, box.id, where());
        }
      } finally {
        if (!over.signal.aborted) send(types.forget, box.id, Buffer.alloc(0));
      }
    },
  };
}

function silent(close: (reason: EngineFailure) => void): EngineFailure {
  const reason = new EngineFailure('the standing container does not answer', { code: 'ETIMEDOUT' });
  close(reason);
  return reason;
}

interface Inbox {
  put(reply: Reply): void;
  ring(): void;
  /** Undefined when nothing came in time. Rejects when the line is over, or with the signal's reason. */
  take(ms: number, signal: AbortSignal): Promise<Reply | undefined>;
}

function createInbox(over: AbortSignal): Inbox {
  const waiting: Reply[] = [];
  let bell = () => {};
  return {
    ring: () => bell(),
    put(reply) {
      waiting.push(reply);
      bell();
    },
    async take(ms, signal) {
      if (waiting.length === 0) {
        signal.throwIfAborted();
        over.throwIfAborted();
        await new Promise<void>((resolve) => {
          const wake = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', wake);
            resolve();
          };
          const timer = setTimeout(wake, ms);
          bell = wake;
          signal.addEventListener('abort', wake);
        });
        signal.throwIfAborted();
      }
      const came = waiting.shift();
      if (!came) over.throwIfAborted();
      return came;
    },
  };
}
