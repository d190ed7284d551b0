import { ErrandError, type Diagnostic } from '@errand/contract';

/** `file:line:column: severity: message`, the hint indented below it. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const place = [diagnostic.file, diagnostic.line, diagnostic.column].filter((part) => part !== undefined).join(':');
  const head = `${place === '' ? '' : `${place}: `}${diagnostic.severity}: ${diagnostic.message}`;
  return diagnostic.hint === undefined ? head : `${head}\n    ${diagnostic.hint.replaceAll('\n', '\n    ')}`;
}

export function formatDiagnostics(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(formatDiagnostic).join('\n');
}

/** In the order of the file, each once: a parent's problem shows up in every environment that extends it. */
export function orderDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const unique = new Map(diagnostics.map((one) => [JSON.stringify([one.line, one.column, one.severity, one.message]), one]));
  return [...unique.values()].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

export function invalidConfig(file: string, diagnostics: readonly Diagnostic[]): ErrandError {
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  return new ErrandError('config/invalid', `cannot use ${file}: ${errors === 1 ? 'one problem' : `${errors} problems`}`, {
    diagnostics,
    next: 'Correct the lines named above, then run `errand config check`.',
  });
}
