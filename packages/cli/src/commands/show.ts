import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { eventDocument, leaseDocument, runDocument } from '../render/document.ts';
import { runDetails } from '../render/run.ts';

export const showCommand: Action = async (context, args) => {
  await using runtime = await context.open({ recover: false });
  const shown = await runtime.show(args.positional(0) ?? '');
  if (context.json) {
    await printJson(context, {
      run: { ...runDocument(shown.run), spec: shown.run.spec },
      lease: shown.lease && leaseDocument(shown.lease),
      events: shown.events.map(eventDocument),
    });
  } else {
    for (const line of runDetails(shown, context.style, context.now())) await printLine(context, line);
  }
  return 0;
};
