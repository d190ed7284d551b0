// The grammar of references in configs and outputs:
//   ${name.field}            an output of a resource; `${name.id}` is its id at the provider
//   ${env:NAME}              a variable, ${env:NAME:-default} with a fallback
//   $${                      the text `${` itself
// A text that holds these is a template. Resources and variables cannot be taken for each other: one has a dot, the other a colon.

export interface ResourceReference {
  readonly kind: 'resource';
  readonly name: string;
  /** May have further dots: an output of just that name comes first, then the way into a structured one. */
  readonly field: string;
  readonly written: string;
}

export interface VariableReference {
  readonly kind: 'variable';
  readonly name: string;
  readonly fallback?: string;
  readonly written: string;
}

export interface PlainText {
  readonly kind: 'text';
  /** Escapes are undone. */
  readonly text: string;
}

export type Part = PlainText | ResourceReference | VariableReference;

export interface TemplateProblem {
  readonly message: string;
  readonly hint: string;
  /** In the text, from 0. */
  readonly offset: number;
}

export interface Template {
  readonly parts: readonly Part[];
  readonly problems: readonly TemplateProblem[];
}

export const resourceName = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
const variable = /^env:([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const escapeHint = '$${ stands for the text ${ itself.';

/** Quick and never wrong about `false`. */
export function mayRefer(text: string): boolean {
  return text.includes('${');
}

export function parseTemplate(text: string): Template {
  const parts: Part[] = [];
  const problems: TemplateProblem[] = [];
  let plain = '';
  let from = 0;
  for (;;) {
    const at = text.indexOf('${', from);
    if (at === -1) break;
    if (at > from && text[at - 1] === '$') {
      plain += `${text.slice(from, at - 1)}\${`;
      from = at + 2;
      continue;
    }
    plain += text.slice(from, at);
    const end = text.indexOf('}', at);
    if (end === -1) {
      problems.push({ message: '`${` is never closed', hint: `Add the \`}\`; ${escapeHint}`, offset: at });
      return { parts: withText(parts, plain), problems };
    }
    const written = text.slice(at, end + 1);
    const read = readBody(written, written.slice(2, -1));
    if ('message' in read) problems.push({ ...read, offset: at });
    else {
      withText(parts, plain);
      plain = '';
      parts.push(read);
    }
    from = end + 1;
  }
  return { parts: withText(parts, plain + text.slice(from)), problems };
}

/** What `text` must be written as to mean just itself. */
export function escapeTemplate(text: string): string {
  return text.replaceAll('${', () => '$${');
}

function withText(parts: Part[], text: string): Part[] {
  if (text !== '') parts.push({ kind: 'text', text });
  return parts;
}

function readBody(written: string, body: string): Part | Omit<TemplateProblem, 'offset'> {
  if (body === '') return { message: '`${}` refers to nothing', hint: `Write \${name.field}; ${escapeHint}` };
  if (body.startsWith('env:')) {
    const [, name, fallback] = variable.exec(body) ?? [];
    if (name === undefined) {
      return { message: `\`${written}\` names no variable`, hint: `Write \${env:NAME} or \${env:NAME:-default}; ${escapeHint}` };
    }
    return { kind: 'variable', name, written, ...(fallback === undefined ? {} : { fallback }) };
  }
  const dot = body.indexOf('.');
  const name = dot === -1 ? body : body.slice(0, dot);
  const field = dot === -1 ? '' : body.slice(dot + 1);
  if (name === 'env' && dot !== -1) {
    return { message: `\`${written}\` is not a variable`, hint: `Write \${env:${field}}; ${escapeHint}` };
  }
  if (!resourceName.test(name)) {
    return { message: `\`${written}\` does not begin with the name of a resource`, hint: `Write \${name.field}; ${escapeHint}` };
  }
  if (dot === -1) {
    const hint = `Write \${${name}.id} for the resource's id, \${env:${name}} for a variable; ${escapeHint}`;
    return { message: `\`${written}\` does not say which output of '${name}' is meant`, hint };
  }
  if (field.split('.').some((step) => step === '' || /\s/.test(step))) {
    return { message: `\`${written}\` has no output behind the dot`, hint: `Write \${${name}.id} or \${${name}.output}.` };
  }
  return { kind: 'resource', name, field, written };
}
