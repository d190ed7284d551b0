// The little of a shell that the conformance scenarios need of a scripted job: lines of `echo`, `sleep`, `exit`, `cat`
// and the like, turned into a script of the fake. Anything else is undefined, and the scenario says why it is left out.
import type { Commands, JobScript } from '@errand/testkit';

const forever = 'while :; do sleep 0.1; done';

export const shellWords: Commands = (command, input) => {
  if (!('script' in command)) return undefined;
  const output: JobScript['output'][number][] = [];
  const files: JobScript['files'][number][] = [];
  let at = 0;
  let ignoresAsk = false;
  let end: JobScript['end'] | 'never';
  const print = (stream: 'stdout' | 'stderr', text: string) => output.push({ at, stream, text });

  for (const part of command.script.replace(forever, 'forever').split(';')) {
    const line = part.trim();
    const [word = '', first = '', ...more] = line.split(' ');
    const rest = [first, ...more].join(' ');
    const appended = / >> (\w+)$/.exec(rest);
    if (appended?.[1]) files.push({ at, path: appended[1], text: `${rest.slice(0, appended.index)}\n` });
    else if (word === 'echo' && rest.endsWith(' >&2')) print('stderr', `${rest.slice(0, -4)}\n`);
    else if (word === 'echo') print('stdout', `${rest}\n`);
    else if (word === 'cat') print('stdout', input.read(first) ?? '');
    else if (word === 'sleep') at += Number(first) * 1000;
    else if (line === "trap '' TERM") ignoresAsk = true;
    else if (line === 'forever') end = 'never';
    else if (word === 'exit') end = { at, end: { kind: 'exited', code: Number(first) } };
    else if (word === 'kill' && more[0] === '$$') end = { at, end: { kind: 'signalled', signal: `SIG${first.slice(1)}` } };
    else if (line !== 'true') return undefined;
    if (end !== undefined) break;
  }
  const last = end ?? { at, end: { kind: 'exited', code: 0 } };
  return { output, files, pending: 0, ignoresAsk, ignoresForce: 0, ...(last !== 'never' && { end: last }) };
};
