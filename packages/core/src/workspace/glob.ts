// Git's glob rules, as a regular expression over bytes: `?` and classes stand for one byte, as they do in git, so text
// outside ASCII must be passed through `bytesOf` on both sides.

/** One character per byte of the UTF-8 form. */
export function bytesOf(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the range of ASCII
  return /^[\u0000-\u007f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * `path`: `*`, `?` and classes do not match `/`, and `**` between slashes matches any number of directories.
 * Undefined when the pattern can match nothing, such as an unfinished class.
 */
export function globSource(glob: string, kind: 'name' | 'path'): string | undefined {
  const any = kind === 'path' ? '[^/]' : '[^]';
  let source = '';
  for (let at = 0; at < glob.length;) {
    const char = glob.charAt(at);
    if (char === '*') {
      const end = skipStars(glob, at);
      const after = glob.startsWith('\\/', end) ? 2 : 1;
      const whole = (at === 0 || glob[at - 1] === '/') && (end === glob.length || glob[end] === '/' || after === 2);
      if (kind === 'path' && end - at > 1 && whole) {
        if (end === glob.length) source += '[^]*';
        // `**/` may stand for nothing at all; with `\/` git wants the slash to be there.
        else source += after === 1 ? '(?:[^]*/)?' : '[^]*/';
        at = Math.min(glob.length, end + (end === glob.length ? 0 : after));
      } else {
        source += `${any}*`;
        at = end;
      }
    } else if (char === '?') {
      source += any;
      at += 1;
    } else if (char === '[') {
      const found = readClass(glob, at);
      if (!found) return undefined;
      source += classSource(found.bytes, kind);
      at = found.end;
    } else {
      const literal = char === '\\' ? glob.charAt(++at) : char;
      if (literal === '') return undefined;
      source += escapeByte(literal);
      at += 1;
    }
  }
  return source;
}

function skipStars(glob: string, from: number): number {
  let at = from;
  while (glob[at] === '*') at += 1;
  return at;
}

const named: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // oxlint-disable-next-line no-control-regex -- the class of control characters
  cntrl: /[\u0000-\u001f\u007f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** The bytes of the class that begins at `from`, and where the glob goes on. A `]` in first place stands for itself. */
function readClass(glob: string, from: number): { readonly bytes: Set<number>; readonly end: number } | undefined {
  let at = from + 1;
  const negated = glob[at] === '!' || glob[at] === '^';
  if (negated) at += 1;
  const bytes = new Set<number>();
  let before = -1;
  for (let first = true; first || glob[at] !== ']'; first = false) {
    const char = glob[at];
    if (char === undefined) return undefined;
    const next = glob[at + 1];
    if (char === '-' && before >= 0 && next !== undefined && next !== ']') {
      at += next === '\\' ? 2 : 1;
      if (glob[at] === undefined) return undefined;
      for (let byte = before; byte <= glob.charCodeAt(at); byte++) bytes.add(byte);
      before = -1;
    } else if (char === '[' && next === ':') {
      const close = glob.indexOf(']', at + 2);
      if (close === -1) return undefined;
      if (close - at < 3 || glob[close - 1] !== ':') {
        bytes.add(91);
        before = 91;
      } else {
        const members = named[glob.slice(at + 2, close - 1)];
        if (!members) return undefined;
        for (let byte = 0; byte < 256; byte++) if (members.test(String.fromCharCode(byte))) bytes.add(byte);
        before = -1;
        at = close;
      }
    } else {
      if (char === '\\') at += 1;
      if (glob[at] === undefined) return undefined;
      before = glob.charCodeAt(at);
      bytes.add(before);
    }
    at += 1;
  }
  return { bytes: negated ? complement(bytes) : bytes, end: at + 1 };
}

function complement(bytes: ReadonlySet<number>): Set<number> {
  return new Set(Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !bytes.has(byte)));
}

function classSource(bytes: ReadonlySet<number>, kind: 'name' | 'path'): string {
  const slash = 47;
  const members = [...bytes].filter((byte) => kind === 'name' || byte !== slash);
  return `[${members.map((byte) => escapeByte(String.fromCharCode(byte))).join('')}]`;
}

function escapeByte(char: string): string {
  return /[A-Za-z0-9_]/.test(char) ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
