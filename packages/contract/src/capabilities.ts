/** What backends differ in, as data. A request that needs more is refused before anything starts. */
export interface Capabilities {
  /** Tells `exit 137` from an end by SIGKILL. */
  readonly exactSignal: boolean;
  /** Output can be followed while the job runs. */
  readonly liveLogs: boolean;
  /** stdout and stderr are told apart. */
  readonly streamSplit: boolean;
  /** The far side ends the job at its deadline even when Errand is dead. */
  readonly nativeTimeout: boolean;
  /** The far side gives a place up at its expiry even when Errand is dead. */
  readonly nativeExpiry: boolean;
  /** Secret values are removed from the output before it rests anywhere. */
  readonly redactsLogs: boolean;
  /** Limits that are enforced. */
  readonly resources: readonly ('cpu' | 'memory')[];
  readonly image: 'required' | 'optional' | 'none';
  readonly workspaceIn: boolean;
  readonly workspaceOut: boolean;
}
