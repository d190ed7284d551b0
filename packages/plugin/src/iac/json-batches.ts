import { Buffer } from 'node:buffer';

/** How much JSON goes into one message, apart from a single item that is bigger. */
const batchBytes = 512 * 1024;

/** JSON lists of at most `most` items and about half a mebibyte each. */
export function* jsonBatches(
  items: Iterable<string>,
  most: number,
): Generator<{ bytes: Buffer; count: number }, void, undefined> {
  let texts: string[] = [];
  let size = 0;
  for (const item of items) {
    if (texts.length > 0 && (texts.length >= most || size + item.length > batchBytes)) {
      yield { bytes: listBytes(texts), count: texts.length };
      texts = [];
      size = 0;
    }
    texts.push(item);
    size += item.length + 1;
  }
  if (texts.length > 0) yield { bytes: listBytes(texts), count: texts.length };
}

const listBytes = (texts: readonly string[]) => Buffer.from(`[${texts.join(',')}]`);
