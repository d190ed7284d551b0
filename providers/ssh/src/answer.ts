// How the shim answers: a line `errand-shim ok` or `errand-shim no CODE TEXT`, then what was asked for. What a login shell
// prints before that line is not ours and is left out.
import { ErrandError } from '@errand/contract';
import type { ErrorCode, Retry } from '@errand/contract';
import type { Channel } from './client.ts';

const mark = Buffer.from('errand-shim ');
/** More noise than this is no greeting. */
const longestNoise = 1024 * 1024;

/** The shim said no. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;

  constructor(code: number, said: string) {
    super(said);
    this.code = code;
  }
}

/** There was no answer: the shim is not there, or its interpreter is not. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** What comes after the line. Throws a `Refusal`, or `NoAnswer` when the stream ends without one. */
export async function* answerIn(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const bytes of source) {
    if (!head) {
      yield bytes;
      continue;
    }
    head = Buffer.concat([head, bytes]);
    const at = lineStart(head);
    const end = at === -1 ? -1 : head.indexOf(0x0a, at);
    if (end === -1) {
      if (head.length > longestNoise) break;
      continue;
    }
    const [how, code, ...words] = head
      .subarray(at + mark.length, end)
      .toString()
      .split(' ');
    if (how !== 'ok') throw new Refusal(Number(code), words.join(' '));
    const rest = head.subarray(end + 1);
    head = undefined;
    if (rest.length > 0) yield rest;
  }
  if (head) throw new NoAnswer(head.subarray(0, 500).toString());
}

/** The answer of a call. A line that was cut before it looks like no answer; then the missing exit tells, and is thrown. */
export async function* answerOf(channel: Pick<Channel, 'stdout' | 'exit'>): AsyncGenerator<Uint8Array> {
  try {
    yield* answerIn(channel.stdout);
  } catch (error) {
    if (error instanceof NoAnswer) await channel.exit;
    throw error;
  }
}

function lineStart(text: Buffer): number {
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
    if (at === 0 || text[at - 1] === 0x0a) return at;
  }
  return -1;
}

/** Codes of a refusal. */
export const said = { gone: 81, fenced: 82, busy: 83, unwritable: 84, toolMissing: 85, files: 86, cutOff: 87, neverStarted: 88 };

const meanings: Readonly<Record<number, readonly [ErrorCode, (text: string) => string, string | undefined, Retry?]>> = {
  [said.gone]: ['provider/not-found', () => 'its place is gone', 'Acquire a new place.'],
  [said.fenced]: [
    'provider/fenced',
    (holder) => `holder ${holder} has it now`,
    'Another Errand process has taken over; let it go on.',
  ],
  [said.busy]: ['provider/conflict', () => 'it is just being released', 'Acquire a place under a new key.'],
  [said.unwritable]: [
    'provider/failed',
    (text) => `the far side ${text}`,
    'See that its disk is not full (`df`) and that the user may write there.',
    'later',
  ],
  [said.toolMissing]: ['environment/unsupported', (tool) => `the machine has no ${tool}`, 'Install it there.'],
  [said.files]: ['workspace/failed', (text) => text, undefined],
  [said.cutOff]: ['provider/unreachable', (text) => text, undefined],
};

/** A refusal in the words of the contract; anything else is given back as it is. */
export function answerError(tried: string, error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const meaning = meanings[error.code];
  if (!meaning) return new ErrandError('provider/failed', `${tried}: ${error.message}`, { cause: error });
  const [code, words, next, retry] = meaning;
  return new ErrandError(code, `${tried}: ${words(error.message)}`, {
    cause: error,
    ...(next === undefined ? {} : { next }),
    ...(retry === undefined ? {} : { retry }),
  });
}

export const isRefusal = (error: unknown, code: number) => error instanceof Refusal && error.code === code;
