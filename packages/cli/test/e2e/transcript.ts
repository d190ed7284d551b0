// Documents that are run. A ```console block holds `$ command` lines (`> ` continues one) and what they print; a block
// whose first line is a comment with a file name is that file. All of them run in order, in one shell.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

export interface Step {
  readonly line: number;
  readonly text: string;
  readonly expected: readonly string[];
  /** The next command asks for the exit status, so it need not be 0. */
  readonly mayFail: boolean;
  /** The file that the step writes instead of running a command. */
  readonly file?: string;
}

export interface Outcome {
  readonly output: string;
  /** Undefined when it did not finish. */
  readonly status: number | undefined;
}

export function parseTranscript(markdown: string): Step[] {
  const steps: Step[] = [];
  let block: { readonly language: string; readonly lines: string[]; readonly line: number } | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    const fence = /^```(\w*)\s*$/.exec(text);
    if (block && fence) {
      steps.push(...stepsOf(block));
      block = undefined;
    } else if (block) block.lines.push(text);
    else if (fence) block = { language: fence[1] ?? '', lines: [], line: index + 2 };
  }
  return steps.map((step, index) => ({ ...step, mayFail: steps[index + 1]?.text === 'echo $?' }));
}

function stepsOf(block: { readonly language: string; readonly lines: readonly string[]; readonly line: number }): Step[] {
  const named = /^(?:#|\/\/) ([\w-]+\.\w+)$/.exec(block.lines[0] ?? '')?.[1];
  const common = { expected: [], mayFail: false };
  if (named !== undefined) return [{ ...common, line: block.line, text: block.lines.join('\n'), file: named }];
  if (block.language !== 'console') return [];
  const steps: { line: number; text: string; expected: string[]; mayFail: boolean }[] = [];
  for (const [index, line] of block.lines.entries()) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ line: block.line + index, text: line.slice(2), expected: [], mayFail: false });
    else if (!last) throw new Error(`line ${block.line + index}: a console block begins with "$ command"`);
    else if (line.startsWith('> ') && last.expected.length === 0) last.text += `\n${line.slice(2)}`;
    else last.expected.push(line);
  }
  return steps;
}

/** `…` stands for any text within a line, and alone on a line for any number of lines. All else must be there exactly. */
export function matches(expected: readonly string[], output: string): boolean {
  const pattern = expected.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(literal).join('.*')}\\n`));
  const whole = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  return new RegExp(`^${pattern.join('')}$`).test(whole);
}

export function expectPromised(step: Step, outcome: Outcome): void {
  const promised = step.expected.join('\n');
  const printed = matches(step.expected, outcome.output) ? promised : outcome.output;
  // One that did not finish has no status and is never right.
  const status = step.mayFail ? (outcome.status ?? 0) : 0;
  expect({ status: outcome.status, printed }).toEqual({ status, printed: promised });
}

function literal(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|]/g, String.raw`\$&`);
}

export interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For the shell's own notes; not where the commands run. */
  readonly scratch: string;
  /** Milliseconds for all of it. */
  readonly limit: number;
}

/** One shell runs everything, so variables, `cd` and `$!` go on from step to step; `$?` is that of the step before. */
export async function runTranscript(steps: readonly Step[], options: ShellOptions): Promise<Outcome[]> {
  const note = (index: number, what: string) => join(options.scratch, `${index}.${what}`);
  const script = steps.map((step, index) => {
    const body = step.file === undefined ? step.text : `cat > ${step.file} <<'END-OF-FILE'\n${step.text}\nEND-OF-FILE`;
    return `{ (exit $_last)\n${body}\n} >'${note(index, 'out')}' 2>&1 </dev/null\n_last=$?\necho $_last >'${note(index, 'status')}'\n`;
  });
  const file = join(options.scratch, 'script.sh');
  writeFileSync(file, `_last=0\n${script.join('')}`);

  const shell = spawn('/bin/sh', [file], { cwd: options.cwd, env: options.env, stdio: 'ignore', detached: true });
  const ended = new Promise<void>((resolve, reject) => {
    shell.once('exit', () => resolve());
    shell.once('error', reject);
  });
  const alarm = setTimeout(() => {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  }, options.limit);
  try {
    await ended;
  } finally {
    clearTimeout(alarm);
  }
  return steps.map((_, index) => {
    const status = read(note(index, 'status'));
    return { output: read(note(index, 'out')), status: status === '' ? undefined : Number(status) };
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
