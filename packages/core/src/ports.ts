// The outside world as the engine sees it. Nothing else reads the clock, randomness or process identity, so that the
// simulation can run many hosts on one virtual clock.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once (without throwing) when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** 26 characters, sortable by time of creation, unique. */
  id(): string;
  /** In [0, 1). */
  fraction(): number;
}

/** Who holds a claim: enough for another process of the same machine to prove that it is dead. */
export interface Holder {
  /** Host name and boot id. */
  readonly machine: string;
  readonly pid: number;
  /** Start time of the process in the kernel's own unit, so that a recycled pid is not taken for it. */
  readonly started: string;
}

export interface Identity {
  readonly self: Holder;
  /** True only with proof: same machine and no such process. Otherwise the claim's expiry decides. */
  isDead(holder: Holder): boolean;
}

export interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly identity: Identity;
}
