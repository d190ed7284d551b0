import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

const mostLines = 20;
const mostCharacters = 4_000;

export interface Tail {
  /** The last lines, in as much memory as they take. */
  text(): string;
}

/** Reads a stream to its end, whatever comes, and keeps the last of it. */
export function keepTail(stream: Readable): Tail {
  const decoder = new StringDecoder('utf8');
  let text = '';
  stream.on('error', () => undefined);
  stream.on('data', (bytes: Buffer) => {
    text = (text + decoder.write(bytes)).slice(-mostCharacters);
  });
  return { text: () => text.trimEnd().split('\n').slice(-mostLines).join('\n') };
}
