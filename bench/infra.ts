// Plan and apply of resources that cost nothing, against Terraform with the same resources. `ERRAND_BENCH_LONG=1` also
// applies 5,000 with Terraform, which takes it some ten minutes.
import { join } from 'node:path';
import { throughPlugin } from './infra-plugin.ts';
import { buildProgram, ourSide } from './infra-side.ts';
import type { Benchmark, Result } from './result.ts';
import { median } from './sampling.ts';
import { growState, hasTerraform, terraform } from './terraform.ts';

const ms = { unit: 'ms', better: 'lower', judged: 'ratio' } as const;

export const infra: Benchmark = {
  name: 'infra',
  async measure(setup) {
    const program = await buildProgram(setup);
    const at = (name: string) => join(setup.directory, 'infra', name);
    const ours = async (name: string, count: number) => ourSide(program, at(name), count);
    const scale = setup.quick ? 10 : 1;
    const rows: Result[] = [];
    const against = hasTerraform();
    if (!against) process.stderr.write('no terraform is on the PATH to compare with; ours alone\n');
    const row = async (name: string, what: string, mine: number, bar: number, theirs: () => Promise<number>) => {
      const baseline = against ? await theirs() : undefined;
      const compared = baseline === undefined ? {} : { against: 'terraform', baseline, ratio: mine / baseline, bar };
      rows.push({ name, what, ...ms, ours: mine, ...compared });
    };

    const many = 10_000 / scale;
    const big = await ours('big', many);
    const first = median([await big.plan(), await big.plan(), await big.plan()]);
    const bigTf = against ? await terraform(at('big-tf'), many) : undefined;
    await row('infra, first plan', `${many} resources`, first, 0.25, async () =>
      median([await call(bigTf?.plan), await call(bigTf?.plan)]),
    );

    const some = 1_000 / scale;
    const small = await ours('small', some);
    const apply1 = await small.apply();
    const smallTf = against ? await terraform(at('small-tf'), some) : undefined;
    await row('infra, apply', `${some} resources`, apply1, 0.1, () => call(smallTf?.apply));

    const applyMany = await big.apply();
    rows.push({
      name: 'infra, linear',
      what: `apply of ${many} over apply of ${some}`,
      unit: '×',
      better: 'lower',
      judged: 'ours',
      bar: 12,
      ours: applyMany / apply1,
    });
    const again = median([await big.plan(), await big.plan(), await big.plan()]);
    await row('infra, no-op plan', `${many} resources`, again, 0.25, async () => {
      await growState(at('small-tf'), at('big-tf'), many);
      return call(bigTf?.plan);
    });

    const middle = 5_000 / scale;
    const apply5 = await (await ours('middle', middle)).apply();
    if (process.env['ERRAND_BENCH_LONG'] || setup.quick) {
      await row('infra, apply', `${middle} resources`, apply5, 0.02, async () =>
        (await terraform(at('middle-tf'), middle)).apply(),
      );
    } else {
      process.stderr.write(`apply of ${middle}: ${Math.round(apply5)} ms; ERRAND_BENCH_LONG=1 compares it with Terraform\n`);
    }

    const huge = await ours('huge', 50_000 / scale);
    const memory = await huge.memory();
    rows.push({
      name: 'infra, memory',
      what: `first plan of ${50_000 / scale} resources`,
      unit: 'MB',
      better: 'lower',
      judged: 'ours',
      bar: 1_000,
      ours: memory,
    });
    rows.push(...(await throughPlugin(setup, program)));
    return rows;
  },
};

const call = (side: (() => Promise<number>) | undefined) => (side ? side() : Promise.resolve(Number.NaN));
