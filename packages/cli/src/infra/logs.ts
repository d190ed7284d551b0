import { ErrandError } from '@errand/contract';
import type { CaptureRequest } from '@errand/contract';
import type { InfraStack } from '@errand/core';
import { isUtf8 } from 'node:buffer';
import type { Action } from '../command.ts';
import { CANCELLED } from '../exit-status.ts';
import type { Arguments } from '../parse.ts';
import { visible } from '../render/text.ts';
import { interruptible } from './interruptible.ts';
import { wholeNumber } from './options.ts';
import { withStack } from './stack.ts';

export const logTypes = ['build', 'deploy', 'run', 'run-restarted'] as const;

/** Ends quietly when the reader goes away, as `errand logs` does. */
export const logsCommand: Action = async (context, args) => {
  const follow = args.flag('follow');
  const status = await interruptible(
    context,
    (signal) =>
      withStack(context, args, async (stack) => {
        for await (const { bytes, source } of stack.logs(await requestOf(args, stack), signal)) {
          const text = context.json ? `${JSON.stringify({ source, ...content(bytes) })}\n` : bytes;
          if (!(await context.out.write(text))) break;
        }
        return 0;
      }),
    'stopped reading; the resource goes on',
  );
  return status ?? (follow ? 0 : CANCELLED);
};

async function requestOf(args: Arguments, stack: InfraStack): Promise<CaptureRequest> {
  const name = args.positional(0) ?? '';
  const record = (await stack.state()).resources.get(name);
  if (record === undefined) {
    throw new ErrandError('state/unknown', `nothing is recorded of '${visible(name)}', so there is nobody to ask for its log`, {
      next: 'errand infra state list names what is.',
    });
  }
  const tailLines = wholeNumber(args, 'tail');
  return {
    resource: { name, type: record.type, providerId: record.providerId },
    type: typeOf(args.text('type')),
    follow: args.flag('follow'),
    ...(tailLines !== undefined && { tailLines }),
  };
}

function typeOf(text: string | undefined): CaptureRequest['type'] {
  const found = logTypes.find((one) => one === (text ?? 'run'));
  if (found !== undefined) return found;
  throw new ErrandError('usage/invalid', `--type takes ${logTypes.join(', ')}, but got '${visible(text ?? '')}'`, {
    next: 'Leave it out to get what the running resource says.',
  });
}

function content(bytes: Uint8Array): { readonly text: string } | { readonly base64: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? { text: buffer.toString() } : { base64: buffer.toString('base64') };
}
