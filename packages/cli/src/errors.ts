import { isErrandError } from '@errand/contract';
import type { Diagnostic, ErrandError } from '@errand/contract';
import { diagnosticLines } from './render/diagnostic.ts';

/** Everything a person sees of an error. The stack is for those who ask with ERRAND_DEBUG=1. */
export function errorText(error: unknown, debug: boolean): string {
  const lines = [`errand: ${messageOf(error)}`];
  if (isErrandError(error)) {
    const more = error.diagnostics.filter((diagnostic) => !saidAlready(diagnostic, error));
    lines.push(...more.flatMap((diagnostic: Diagnostic) => diagnosticLines(diagnostic).map((line) => `  ${line}`)));
    if (error.next !== undefined) lines.push(`  next: ${error.next}`);
  } else {
    lines.push('  next: This is a defect of Errand. Repeat it with ERRAND_DEBUG=1 and report what that prints.');
  }
  if (debug && error instanceof Error) lines.push(error.stack ?? '', ...causes(error));
  return `${lines.join('\n')}\n`;
}

/** The same as data, for `--json`. */
export function errorDocument(error: unknown) {
  if (!isErrandError(error))
    return { error: { code: 'internal/bug', reason: 'internal', message: messageOf(error), diagnostics: [] } };
  const { code, reason, message, next, diagnostics } = error;
  return { error: { code, reason, message, next, diagnostics } };
}

/** A problem without a position that is the error itself would only be read twice. */
function saidAlready(diagnostic: Diagnostic, { message, next }: ErrandError): boolean {
  return diagnostic.file === undefined && diagnostic.hint === next && message.endsWith(diagnostic.message);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function causes(error: Error): string[] {
  return error.cause instanceof Error ? [`caused by ${error.cause.stack ?? error.cause.message}`, ...causes(error.cause)] : [];
}
