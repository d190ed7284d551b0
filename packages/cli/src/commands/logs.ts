import { ErrandError } from '@errand/contract';
import type { Stream } from '@errand/contract';
import type { LogEntry } from '@errand/core';
import type { Action } from '../command.ts';
import { isUtf8 } from 'node:buffer';
import { optional } from './request.ts';

/** Ends quietly when the reader goes away: looking at the beginning of a log is a normal thing to do. */
export const logsCommand: Action = async (context, args) => {
  const stream = streamOf(args.text('stream'));
  await using runtime = await context.open({ recover: false });
  const entries = runtime.logs(args.positional(0) ?? '', {
    follow: args.flag('follow'),
    ...(stream ? { stream } : {}),
    ...optional('since', args.text('since')),
  });
  for await (const entry of entries) {
    const sink = context.json || stream || entry.stream === 'stdout' ? context.out : context.err;
    const going = await sink.write(context.json ? `${JSON.stringify(entryDocument(entry))}\n` : entry.bytes);
    if (!going && sink === context.out) break;
  }
  return 0;
};

function streamOf(text: string | undefined): Stream | undefined {
  if (text === undefined || text === 'stdout' || text === 'stderr') return text;
  throw new ErrandError('usage/invalid', `--stream takes stdout or stderr, but got ${JSON.stringify(text)}`, {
    next: 'Leave it out to get both.',
  });
}

function entryDocument(entry: LogEntry) {
  const bytes = Buffer.from(entry.bytes.buffer, entry.bytes.byteOffset, entry.bytes.byteLength);
  const content = isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
  return { stream: entry.stream, cursor: entry.cursor, ...content };
}
