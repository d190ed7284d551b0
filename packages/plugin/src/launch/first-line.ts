import type { Readable } from 'node:stream';

/** A handshake with a certificate takes some kilobytes. */
const longest = 64 * 1024;

/**
 * The first line of a stream; what comes after it is read and thrown away, so that the writer never blocks. Undefined
 * when the stream ends before, or when the line has no end.
 */
export function firstLine(stream: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const read = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\n');
      if (end === -1 && text.length < longest) return;
      stream.off('data', read);
      stream.resume();
      resolve(end === -1 ? undefined : text.slice(0, end));
    };
    stream.on('data', read);
    stream.on('error', () => undefined);
    stream.once('close', () => resolve(undefined));
  });
}
