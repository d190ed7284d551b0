// The part of YAML that nearly every config file keeps to, read many times faster than the whole language can be: maps,
// lists, and texts that end in their line. It never guesses: whatever is not plainly of this part (anchors, tags, block
// scalars, several lines, anything wrong) is left to the real parser, which must give the same tree where this one gives any.
import type { Branch, Entry, Position, Scalar, Tree } from './tree.ts';

const deepest = 90;

/** Undefined: not for this parser. */
export function readPlainYaml(text: string): Tree | undefined {
  if (strange.test(text)) return undefined;
  const reading: Reading = { lines: text.split('\n'), line: 0, at: 0 };
  try {
    nextLine(reading, 0);
    if (reading.line >= reading.lines.length) return undefined;
    const tree = readBlock(reading, 0);
    return reading.line < reading.lines.length ? undefined : tree;
  } catch (error) {
    if (error === leave) return undefined;
    throw error;
  }
}

/** Control characters, among them tabs and carriage returns, byte order marks, and half surrogate pairs. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const strange = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|^(?:---|\.\.\.|%)/m;
const key = /[A-Za-z_][A-Za-z0-9_./-]*(?=:(?: |$))/y;
const flowKey = /[A-Za-z_][A-Za-z0-9_./-]*(?=: )/y;
const blockText = /[^\s\-?:,[\]{}#&*!|>'"%@`=<](?:[^:#]|:(?=[^ ])|(?<=[^ ])#)*/y;
const flowText = /[^\s\-?:,[\]{}#&*!|>'"%@`=<](?:[^:#,[\]{}]|:(?=[^ ,[\]{}])|(?<=[^ ])#)*/y;
const negative = /-\.?[0-9][0-9.eE+-]*(?=[ ,\]}]|$)/y;

/** A string where a parser would throw: it is caught right above. */
const leave = Symbol('not for this parser');

interface Reading {
  readonly lines: readonly string[];
  line: number;
  /** In the line, from 0. */
  at: number;
}

function give(): never {
  // oxlint-disable-next-line typescript/only-throw-error -- never leaves this file
  throw leave;
}

const here = ({ line, at }: Reading): Position => ({ line: line + 1, column: at + 1 });
const lineOf = (reading: Reading): string => reading.lines[reading.line] ?? '';

/** To the first letter of the next line that has any; past the end when there is none. */
function nextLine(reading: Reading, from: number): void {
  for (reading.line = from; reading.line < reading.lines.length; reading.line++) {
    const text = lineOf(reading);
    reading.at = text.search(/[^ ]/);
    if (reading.at !== -1 && text[reading.at] !== '#') return;
  }
  reading.at = -1;
}

function endLine(reading: Reading): void {
  const rest = lineOf(reading).slice(reading.at);
  if (!/^(?: *| +#.*)$/.test(rest)) give();
  nextLine(reading, reading.line + 1);
}

function readBlock(reading: Reading, depth: number): Tree {
  if (depth > deepest) give();
  return isItem(reading) ? readList(reading, depth) : readMap(reading, depth);
}

function isItem(reading: Reading): boolean {
  const text = lineOf(reading);
  return text[reading.at] === '-' && text[reading.at + 1] === ' ';
}

function readMap(reading: Reading, depth: number): Branch {
  const at = here(reading);
  const column = reading.at;
  const entries = new Map<string, Entry>();
  while (reading.at === column && !isItem(reading)) {
    const place = here(reading);
    const name = match(key, reading) ?? give();
    // The real parser knows how to complain about this one.
    if (entries.has(name)) give();
    reading.at += 1;
    entries.set(name, { key: place, value: readValue(reading, column, depth + 1) });
  }
  if (reading.at > column) give();
  return { kind: 'map', at, entries };
}

function readValue(reading: Reading, column: number, depth: number): Tree {
  if (skipSpaces(reading)) return readInline(reading, column, depth);
  const [line, at] = [reading.line, reading.at];
  // Where exactly nothing stands is the real parser's to say once there is a comment or a space.
  const bare = lineOf(reading).length === at;
  endLine(reading);
  if (reading.at > column || (reading.at === column && isItem(reading))) return readBlock(reading, depth);
  if (!bare) give();
  return { kind: 'scalar', at: { line: line + 1, column: at + 1 }, value: null, source: '' };
}

function readList(reading: Reading, depth: number): Tree {
  const at = here(reading);
  const column = reading.at;
  const items: Tree[] = [];
  while (reading.at === column && isItem(reading)) {
    reading.at += 1;
    if (!skipSpaces(reading)) give();
    key.lastIndex = reading.at;
    const nested = key.test(lineOf(reading)) || isItem(reading);
    items.push(nested ? readBlock(reading, depth + 1) : readInline(reading, column, depth + 1));
  }
  if (reading.at > column) give();
  return { kind: 'list', at, items };
}

/** What ends in its line; a line that is indented further would belong to it. */
function readInline(reading: Reading, column: number, depth: number): Tree {
  const value = readFlow(reading, depth, blockText);
  endLine(reading);
  if (reading.at > column) give();
  return value;
}

function readFlow(reading: Reading, depth: number, plain: RegExp): Tree {
  if (depth > deepest) give();
  const first = lineOf(reading)[reading.at];
  if (first === '{') return readFlowMap(reading, depth);
  if (first === '[') return readFlowList(reading, depth);
  if (first === '"' || first === "'") return readQuoted(reading, first);
  const at = here(reading);
  const written = match(plain, reading) ?? match(negative, reading) ?? give();
  const source = written.replace(/ +$/, '');
  reading.at -= written.length - source.length;
  if (source.endsWith(':')) give();
  const value = valueOf(source);
  return { kind: 'scalar', at, value, source: value === null ? '' : source };
}

function readFlowMap(reading: Reading, depth: number): Branch {
  const at = here(reading);
  const entries = new Map<string, Entry>();
  eachInside(reading, '}', () => {
    const place = here(reading);
    const name = match(flowKey, reading) ?? give();
    if (entries.has(name)) give();
    reading.at += 1;
    skipSpaces(reading);
    entries.set(name, { key: place, value: readFlow(reading, depth + 1, flowText) });
  });
  return { kind: 'map', at, entries };
}

function readFlowList(reading: Reading, depth: number): Tree {
  const at = here(reading);
  const items: Tree[] = [];
  eachInside(reading, ']', () => {
    items.push(readFlow(reading, depth + 1, flowText));
  });
  return { kind: 'list', at, items };
}

function eachInside(reading: Reading, close: string, read: () => void): void {
  const text = lineOf(reading);
  reading.at += 1;
  skipSpaces(reading);
  if (text[reading.at] === close) {
    reading.at += 1;
    return;
  }
  for (;;) {
    read();
    skipSpaces(reading);
    const next = text[reading.at];
    reading.at += 1;
    if (next === close) return;
    if (next !== ',' || !skipSpaces(reading)) give();
  }
}

const doubleQuoted = /"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y;
const singleQuoted = /'(?:[^']|'')*'/y;

function readQuoted(reading: Reading, quote: string): Scalar {
  const at = here(reading);
  const written = match(quote === '"' ? doubleQuoted : singleQuoted, reading) ?? give();
  const value = quote === '"' ? (JSON.parse(written) as string) : written.slice(1, -1).replaceAll("''", "'");
  // As a key, or with something behind it, it is not for us.
  if (!/^(?:$|[ ,\]}])/.test(lineOf(reading).slice(reading.at, reading.at + 1))) give();
  return { kind: 'scalar', at, value, source: value };
}

/** False at the end of the line or at a comment. */
function skipSpaces(reading: Reading): boolean {
  const text = lineOf(reading);
  const from = reading.at;
  let at = from;
  while (text[at] === ' ') at += 1;
  if (at >= text.length || text[at] === '#') return false;
  reading.at = at;
  return true;
}

function match(pattern: RegExp, reading: Reading): string | undefined {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(lineOf(reading))?.[0];
  if (found === undefined || found === '') return undefined;
  reading.at += found.length;
  return found;
}

/** The core schema of YAML 1.2. */
function valueOf(source: string): Scalar['value'] {
  if (/^(?:~|[Nn]ull|NULL)$/.test(source)) return null;
  if (/^(?:[Tt]rue|TRUE)$/.test(source)) return true;
  if (/^(?:[Ff]alse|FALSE)$/.test(source)) return false;
  if (!/^[-+.0-9]/.test(source)) return source;
  if (/^[-+]?[0-9]+$/.test(source)) return Number.parseInt(source, 10);
  if (/^0[ox]|^[-+]?\.(?:inf|nan)/i.test(source)) give();
  const number = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
  if (!number.test(source)) return source;
  const value = Number.parseFloat(source);
  return Number.isFinite(value) ? value : give();
}
