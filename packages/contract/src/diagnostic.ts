/** A problem in what a person wrote. They are collected and shown all at once, never thrown one by one. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly file?: string;
  /** One-based. */
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}
