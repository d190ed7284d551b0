// `${env:X}` is filled in when the file is read. What comes out of a variable is text and is never looked at again.
import { didYouMean } from '../../base/distance.ts';
import { mapScalars, type Position, type Scalar, type Tree } from '../../config/tree.ts';
import { escapeTemplate, mayRefer, parseTemplate, type VariableReference } from '../references/parse.ts';
import { report, type Reader } from './reader.ts';

/** Where references to resources may stand: the result is still a template. */
export function fillTemplate<T extends Tree>(reader: Reader, tree: T): T {
  return mapScalars(tree, (scalar) => {
    tooLarge(reader, scalar);
    if (typeof scalar.value !== 'string' || !mayRefer(scalar.value)) return scalar;
    const { parts, problems } = parseTemplate(scalar.value);
    for (const { message, hint } of problems) report(reader, scalar.at, message, hint);
    if (problems.length > 0 || parts.every((part) => part.kind !== 'variable')) return scalar;
    let text = '';
    let plain = '';
    for (const part of parts) {
      if (part.kind === 'text') plain += part.text;
      else if (part.kind === 'variable') plain += fill(reader, part, scalar.at);
      else {
        if (plain.endsWith('$'))
          report(reader, scalar.at, `there is a $ right before ${part.written}, which would read as an escape`);
        text += escapeTemplate(plain) + part.written;
        plain = '';
      }
    }
    return { ...scalar, value: text + escapeTemplate(plain) };
  }) as T;
}

/** Where they may not: the result is plain. */
export function fillPlain<T extends Tree>(reader: Reader, tree: T, what: string): T {
  return mapScalars(tree, (scalar) => {
    if (typeof scalar.value !== 'string' || !mayRefer(scalar.value)) return scalar;
    const { parts, problems } = parseTemplate(scalar.value);
    for (const { message, hint } of problems) report(reader, scalar.at, message, hint);
    const texts = parts.map((part) => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'variable') return fill(reader, part, scalar.at);
      report(
        reader,
        scalar.at,
        `${part.written} cannot stand here: ${what} is needed before any resource`,
        '$${ stands for the text ${ itself.',
      );
      return '';
    });
    return { ...scalar, value: texts.join('') };
  }) as T;
}

function fill(reader: Reader, { name, fallback }: VariableReference, at: Position): string {
  const { variables, used } = reader;
  const set = Object.hasOwn(variables, name) ? variables[name] : undefined;
  // As in a shell, `:-` also stands in for a variable that is set to nothing.
  const value = fallback !== undefined && !set ? fallback : set;
  if (value === undefined) {
    const close = didYouMean(name, Object.keys(variables));
    report(
      reader,
      at,
      `the environment variable ${name} is not set`,
      `Set it, or write \${env:${name}:-default}${close ? `; ${close}` : '.'}`,
    );
    return '';
  }
  used.set(`env:${name}`, value);
  return value;
}

function tooLarge(reader: Reader, { value, source, at }: Scalar): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(source)) return;
  report(reader, at, 'the number is too large to be kept exactly', 'Put it into quotes.');
}
