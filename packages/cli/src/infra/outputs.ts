import { ErrandError } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { bareText, SENSITIVE, valueText } from '../render/infra/value.ts';
import { visible } from '../render/text.ts';
import { closest } from '../suggest.ts';
import { withStack } from './stack.ts';

export const outputsCommand: Action = (context, args) =>
  withStack(context, args, async (stack) => {
    const reveal = args.flag('reveal');
    const all = await stack.outputs({ reveal });
    const name = args.positional(0);
    const shown = Object.entries(all).map(
      ([key, one]) => [key, one.sensitive && !reveal ? { ...one, value: SENSITIVE } : one] as const,
    );
    if (name === undefined) {
      if (context.json) await printJson(context, Object.fromEntries(shown));
      else
        for (const [key, { value, sensitive }] of shown)
          await printLine(context, `${visible(key)} = ${sensitive && !reveal ? SENSITIVE : valueText(value)}`);
      if (shown.length === 0) await context.say('no outputs are recorded');
      return 0;
    }
    const found = all[name];
    if (found === undefined) throw unknownOutput(name, Object.keys(all));
    if (found.sensitive && !reveal) {
      throw new ErrandError('usage/invalid', `the output '${visible(name)}' is sensitive and is not shown`, {
        next: `Write errand infra outputs ${visible(name)} --reveal where nobody else reads along.`,
      });
    }
    // Bare bytes, as `errand logs` gives them: this is for $(…) in scripts.
    await (context.json ? printJson(context, found) : printLine(context, bareText(found.value)));
    return 0;
  });

function unknownOutput(name: string, known: readonly string[]): ErrandError {
  const guess = closest(name, known);
  const next =
    known.length === 0
      ? 'Declare it under infra.outputs in errand.yaml and run errand infra apply.'
      : `Recorded are: ${known.map(visible).join(', ')}.`;
  return new ErrandError(
    'state/unknown',
    `there is no output '${visible(name)}'${guess ? `; did you mean '${visible(guess)}'?` : ''}`,
    {
      next,
    },
  );
}
