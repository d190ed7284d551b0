// The language of the fake's jobs: an argv is read word by word, e.g. ['emit', '100', 'sleep', '500', 'exit', '3'].
// A script is the same words in a text. What a job does is known when it starts, so the far side needs no timers.
//
//   emit N            N numbered lines on stdout, counted on from the last `emit`; `every MS` before it spaces them out
//   say TEXT          a line on stdout            warn TEXT   a line on stderr
//   show NAME         the environment variable's value on stdout
//   cat PATH          the workspace file on stdout, as it is at the start
//   write PATH TEXT   a workspace file
//   sleep MS          time passes                 forever     never goes on
//   exit N            (0 at the end of the words) signal NAME ends as if killed by it
//   lose              ends and nobody knows how
//   pending MS|forever   stays pending first      deaf        ignores being asked to stop
//   stubborn N        ignores the first N forced stops as well
import type { Command, JobEnd, Stream } from '@errand/contract';
import type { JobScript } from './state.ts';

export interface ScriptInput {
  readonly env: Readonly<Record<string, string>>;
  readonly read: (path: string) => string | undefined;
}

export type Commands = (command: Command, input: ScriptInput) => JobScript | undefined;

/** Undefined for words that are not in the language: the fake then answers as a shell does for an unknown program. */
export function readScript(command: Command, input: ScriptInput): JobScript | undefined {
  const words = 'argv' in command ? [...command.argv] : command.script.trim().split(/\s+/);
  const output: { at: number; stream: Stream; text: string }[] = [];
  const files: { at: number; path: string; text: string }[] = [];
  let [at, line, every, ignoresForce] = [0, 0, 0, 0];
  let pending: number | null = 0;
  let ignoresAsk = false;
  let end: JobEnd | undefined | 'never';

  const print = (stream: Stream, text: string) => output.push({ at, stream, text });
  const emit = (count: number) => {
    if (every === 0) return print('stdout', Array.from({ length: count }, () => `${++line}\n`).join(''));
    for (let i = 0; i < count; i++) {
      at += every;
      print('stdout', `${++line}\n`);
    }
    return undefined;
  };

  while (words.length > 0 && end === undefined) {
    const word = words.shift();
    const next = () => words.shift() ?? '';
    if (word === 'emit') emit(Number(next()));
    else if (word === 'every') every = Number(next());
    else if (word === 'say') print('stdout', `${next()}\n`);
    else if (word === 'warn') print('stderr', `${next()}\n`);
    else if (word === 'show') print('stdout', `${input.env[next()] ?? ''}\n`);
    else if (word === 'cat') print('stdout', input.read(next()) ?? '');
    else if (word === 'write') files.push({ at, path: next(), text: next() });
    else if (word === 'sleep') at += Number(next());
    else if (word === 'forever') end = 'never';
    else if (word === 'exit') end = { kind: 'exited', code: Number(next()) };
    else if (word === 'signal') end = { kind: 'signalled', signal: next() };
    else if (word === 'lose') end = { kind: 'lost', evidence: 'the fake lost it' };
    else if (word === 'pending') pending = span(next());
    else if (word === 'deaf') ignoresAsk = true;
    else if (word === 'stubborn') ignoresForce = Number(next());
    else return undefined;
  }
  const last = end ?? { kind: 'exited', code: 0 };
  return { output, files, pending, ignoresAsk, ignoresForce, ...(last !== 'never' && { end: { at, end: last } }) };
}

export function unknownProgram(command: Command): JobScript {
  const name = 'argv' in command ? (command.argv[0] ?? '') : 'sh';
  return {
    output: [{ at: 0, stream: 'stderr', text: `${name}: not found\n` }],
    files: [],
    end: { at: 0, end: { kind: 'exited', code: 127 } },
    pending: 0,
    ignoresAsk: false,
    ignoresForce: 0,
  };
}

function span(text: string): number | null {
  return text === 'forever' ? null : Number(text);
}
