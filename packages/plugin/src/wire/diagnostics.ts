import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Diagnostic } from '@errand/contract';
import type { Diagnostic as DiagnosticMessage, DiagnosticSchema } from '../gen/errand/v1/error_pb.js';
import { shorten } from './limits.ts';
import { optional } from './values.ts';

export function sendDiagnostic(diagnostic: Diagnostic): MessageInitShape<typeof DiagnosticSchema> {
  return { ...diagnostic, message: shorten(diagnostic.message) };
}

export function readDiagnostic(message: DiagnosticMessage): Diagnostic {
  const { severity, message: text, file, line, column, hint } = message;
  return {
    severity: severity === 'warning' ? 'warning' : 'error',
    message: text,
    ...optional({ file, line, column, hint }),
  };
}
