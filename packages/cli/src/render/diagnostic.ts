import type { Diagnostic } from '@errand/contract';
import { visible } from './text.ts';

export function diagnosticLines(diagnostic: Diagnostic): string[] {
  const position = [diagnostic.file, diagnostic.line, diagnostic.column].filter((part) => part !== undefined).join(':');
  const lines = [`${position === '' ? '' : `${position}: `}${diagnostic.severity}: ${visible(diagnostic.message)}`];
  if (diagnostic.hint !== undefined) lines.push(`  hint: ${visible(diagnostic.hint)}`);
  return lines;
}
