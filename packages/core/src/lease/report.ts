export interface SweepLine {
  readonly subject: 'run' | 'lease' | 'place';
  readonly id: string;
  /** `would-…` in a dry run. `left` is something that is not proven dead. */
  readonly did: 'finished' | 'released' | 'removed' | 'left' | 'failed' | 'would-finish' | 'would-release' | 'would-remove';
  /** The proof, or what stands in the way. */
  readonly because: string;
}

export interface SweepReport {
  readonly lines: readonly SweepLine[];
}
