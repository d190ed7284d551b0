import { field, text } from './answers.ts';
import type { PullLine } from './client.ts';

/** The engine tells a pull's progress as JSON objects, one per line, cut anywhere. */
export async function* pullLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<PullLine> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield* parsed(line);
  }
  yield* parsed(rest);
}

function* parsed(line: string): Generator<PullLine> {
  if (line.trim() === '') return;
  let value: unknown;
  try {
    value = JSON.parse(line) as unknown;
  } catch {
    return;
  }
  const error = text(field(value, 'error'));
  if (error !== '') yield { text: error, failed: true };
  const layer = text(field(value, 'id'));
  const status = text(field(value, 'status'));
  if (status !== '') yield { text: status, failed: false, ...(layer === '' ? {} : { layer }) };
}
