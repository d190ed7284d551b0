/** What every provider call carries. */
export interface Ask {
  /** Ends the call, never the thing that the call made. */
  readonly signal: AbortSignal;
  /** Talk for a person who watches: image layers, waiting for capacity. Never job output. */
  readonly log: (line: string) => void;
}

/** What every mutating call carries beside that. */
export interface Call extends Ask {
  /** Same key, same effect: a repeated call adopts what the first one made. */
  readonly key: string;
  /** The holder's fencing epoch. A place that has seen a higher one refuses with `provider/fenced`. */
  readonly epoch: number;
}

/** A call that may need secrets; plaintext exists only inside it. */
export interface SecretCall extends Call {
  readonly secret: (reference: string) => Promise<string>;
}
