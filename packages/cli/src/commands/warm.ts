import type { Filling, SweepLine } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { plural, visible } from '../render/text.ts';

/** Also what `errand run` starts in the background when it has taken a ready place. */
export const warmCommand: Action = async (context, args) => {
  const dryRun = args.flag('dry-run');
  await using runtime = await context.open({ recover: false });
  const { pools, released } = await runtime.warm(args.positional(0), { dryRun });
  const swept = [...released, ...pools.flatMap((pool) => pool.swept)];
  if (context.json) {
    for (const { environment, wanted, ready, made, missing, problems } of pools) {
      await printJson(context, { environment, wanted, ready, made, missing, problems });
    }
    for (const { subject, id, did, because } of swept) await printJson(context, { subject, id, did, because });
  } else {
    for (const line of swept) await printLine(context, sweepText(line));
    for (const pool of pools) await printLine(context, poolText(pool, dryRun));
  }
  for (const { environment, problems } of pools) {
    for (const problem of problems)
      await context.warn(`could not make a place of '${visible(environment)}' ready: ${visible(problem)}`);
  }
  if (pools.length === 0) await context.say('no environment keeps ready places; give one, for instance, warm: 2');
  return pools.some((pool) => pool.problems.length > 0) || swept.some((line) => line.did === 'failed') ? FAILED : 0;
};

function poolText({ environment, wanted, ready, made, missing }: Filling, dryRun: boolean): string {
  const now = ready + made.length;
  const did = dryRun ? (missing > 0 ? `, would make ${missing}` : '') : made.length > 0 ? `, made ${made.length}` : '';
  return `${visible(environment)}: ${now} of ${plural(wanted, 'place')} ready${did}`;
}

function sweepText({ did, subject, id, because }: SweepLine): string {
  return `${did.replace('-', ' ')} ${subject} ${id}: ${visible(because)}`;
}
