/** One row of the table. */
export interface Result {
  readonly name: string;
  /** What was measured. */
  readonly what: string;
  /** What a user would use instead; absent where only our own figure is of interest. */
  readonly against?: string;
  readonly baseline?: number;
  readonly ours: number;
  /** Ours ÷ baseline. */
  readonly ratio?: number;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** What must be reached; absent where the row is only for information. */
  readonly bar?: number;
  /** Which figure the bar is about. */
  readonly judged: 'ratio' | 'ours';
}

export interface Setup {
  /** Fewer and smaller samples: a look, not a figure to publish. */
  readonly quick: boolean;
  /** An empty directory, removed at the end. No errand.yaml is above it. */
  readonly directory: string;
  /** The built program and SDK, copied aside. */
  readonly program: string;
  readonly sdk: string;
}

export interface Benchmark {
  readonly name: string;
  measure(setup: Setup): Promise<readonly Result[]>;
}

export function judgedValue(result: Result): number {
  return result.judged === 'ratio' ? (result.ratio ?? Number.NaN) : result.ours;
}

/** Undefined where there is no bar. */
export function isReached(result: Result): boolean | undefined {
  if (result.bar === undefined) return undefined;
  const value = judgedValue(result);
  return result.better === 'lower' ? value <= result.bar : value >= result.bar;
}
