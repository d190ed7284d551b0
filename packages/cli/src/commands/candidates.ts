import type { Runtime } from '@errand/core';
import type { Action } from '../command.ts';
import { printLine } from '../context.ts';
import { visible } from '../render/text.ts';

/** Called by the completion scripts at every Tab: a broken config or store must not write over the line being typed. */
export const candidatesCommand: Action = async (context, args) => {
  try {
    await using runtime = await context.open({ recover: false });
    const kind = args.positional(0);
    const names =
      kind === 'environment'
        ? [...runtime.config.environments.keys()]
        : kind === 'run'
          ? (await runtime.runs({ limit: 50 })).map((run) => run.id)
          : kind === 'lease'
            ? (await runtime.leases()).map((lease) => lease.id)
            : kind === 'resource'
              ? await resources(runtime)
              : [];
    for (const name of names) await printLine(context, visible(name));
  } catch {
    return 0;
  }
  return 0;
};

async function resources(runtime: Runtime): Promise<readonly string[]> {
  await using stack = await runtime.infra();
  return [...stack.stack.resources.keys()];
}
