// What it costs that the resources are served by a program of their own.
import { join } from 'node:path';
import { buildPlugin, ourSide } from './infra-side.ts';
import type { Result, Setup } from './result.ts';
import { compare, inTurns } from './sampling.ts';

export async function throughPlugin(setup: Setup, program: string): Promise<readonly Result[]> {
  const plugin = await buildPlugin(setup);
  const at = (name: string) => join(setup.directory, 'infra', name);
  const scale = setup.quick ? 10 : 1;
  const rounds = setup.quick ? 3 : 7;
  const common = { against: 'in process', unit: 'ms', better: 'lower', judged: 'ratio', bar: 3 } as const;

  const some = 1_000 / scale;
  const applies = await inTurns(
    {
      baseline: async () => (await ourSide(program, at('here'), some)).apply(),
      ours: async () => (await ourSide(program, at('apart'), some, plugin)).apply(),
    },
    rounds,
  );
  const many = 10_000 / scale;
  const here = await ourSide(program, at('here'), many);
  const apart = await ourSide(program, at('apart'), many, plugin);
  await here.apply();
  await apart.apply();
  const plans = await inTurns({ baseline: () => here.plan(), ours: () => apart.plan() }, rounds);
  return [
    { name: 'infra, plugin', what: `apply of ${some} through a plugin`, ...common, ...compare(applies) },
    { name: 'infra, plugin', what: `no-op plan of ${many} through a plugin`, ...common, ...compare(plans) },
  ];
}
