// Both sides of a comparison are measured in turns, so that the noise of the machine hits them alike, and compared by
// their medians, so that a few hiccups do not count.

export interface Samples {
  readonly baseline: readonly number[];
  readonly ours: readonly number[];
}

export interface Sides {
  baseline(): Promise<number>;
  ours(): Promise<number>;
}

/** `warmUp` rounds are thrown away. Every other round begins with the other side. */
export async function inTurns(sides: Sides, rounds: number, warmUp = 1): Promise<Samples> {
  const samples = { baseline: [] as number[], ours: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    const order = round % 2 === 0 ? (['baseline', 'ours'] as const) : (['ours', 'baseline'] as const);
    for (const side of order) {
      const value = await sides[side]();
      if (round >= 0) samples[side].push(value);
    }
  }
  return samples;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The nearest-rank percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

export function compare({ baseline, ours }: Samples): {
  readonly baseline: number;
  readonly ours: number;
  readonly ratio: number;
} {
  const medians = { baseline: median(baseline), ours: median(ours) };
  return { ...medians, ratio: medians.ours / medians.baseline };
}
