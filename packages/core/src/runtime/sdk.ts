// The SDK as its users see it. `create-runtime.ts` wires it; the CLI uses nothing else.
import type { Capabilities, Diagnostic, Stream } from '@errand/contract';
import type { Config } from '../config/types.ts';
import type { LogEntry } from '../logs/port.ts';
import type { StoredEvent } from '../model/event.ts';
import type { Lease } from '../model/lease.ts';
import type { Outcome, Run } from '../model/run.ts';
import type { LeasePolicy } from '../model/setup.ts';
import type { RunFilter } from '../store/port.ts';
import type { SweepLine, SweepReport } from '../lease/report.ts';
import type { Filling } from '../run/fill-pool.ts';
import type { CheckedStack } from '../infra/declare/read-stacks.ts';
import type { InfraStack } from '../infra/sdk.ts';

/** Text such as `90s`, `20m`, `1h30m`, or milliseconds. */
export type Duration = string | number;

export interface RunRequest {
  /** An environment's name; `local` when absent. Not together with `lease`. */
  readonly environment?: string;
  /** A standing lease's id. */
  readonly lease?: string;
  /** Exactly one of `command` (an argv, no shell) and `script` (for `sh`). */
  readonly command?: readonly string[];
  readonly script?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Name → `secret://store/path`. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly image?: string;
  /** Tells places apart that are reused: a run gets only those that runs with the same label left. */
  readonly reuseLabel?: string;
  /** Directory to copy in; the job starts in an empty directory when absent. */
  readonly workspace?: string;
  /** Glob patterns of files to bring back into `out`. */
  readonly collect?: readonly string[];
  readonly out?: string;
  /**
   * Whatever the job's end, merge what it changed in the workspace into the `workspace` directory: what changed on both
   * sides stays as it is here, with the job's version beside it. The closed run's `sync` tells what happened.
   */
  readonly syncBack?: boolean;
  readonly timeout?: Duration;
  readonly pendingTimeout?: Duration;
  readonly grace?: Duration;
  readonly idempotencyKey?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface LogOptions {
  readonly stream?: Stream;
  /** A cursor from an earlier entry. */
  readonly since?: string;
  /** Wait for more until the run's log is complete. */
  readonly follow?: boolean;
}

/** A run that this process watches, or follows while another one does. Disposing it cancels it if it is still going. */
export interface Job extends AsyncDisposable {
  readonly id: string;
  /** False when the idempotency key found a run that was there already. */
  readonly created: boolean;
  /** Never rejects for a failing command. Rejects only when Errand itself cannot go on watching; the run goes on. */
  readonly exit: Promise<Outcome>;
  /** The closed run. Settles like `exit`. */
  readonly closed: Promise<Run>;
  logs(options?: Omit<LogOptions, 'follow'>): AsyncIterable<LogEntry>;
  /** Resolves when the run is closed, so after the job was proven gone. */
  cancel(options?: { readonly force?: boolean }): Promise<Run>;
  /** Stops watching without stopping the run; `await using` then leaves it alone. */
  detach(): Promise<void>;
}

/** A standing place. Disposing it releases it. */
export interface LeaseHandle extends AsyncDisposable {
  readonly id: string;
  readonly lease: Lease;
  run(request: Omit<RunRequest, 'environment' | 'lease'>): Promise<Job>;
  /** Never shortens. */
  renew(ttl: Duration): Promise<Lease>;
  /** Resolves to the lease as it is then: `released`, or `releasing` with the problem when that is not proven yet. */
  release(): Promise<Lease>;
  /** Keeps the place when this object is disposed. */
  keep(): void;
}

export interface CancelResult {
  readonly run: Run;
  /** The run had ended before anybody asked. */
  readonly alreadyFinished: boolean;
}

export interface WarmReport {
  readonly pools: readonly Filling[];
  /** What was given up because no environment of this config wants it. */
  readonly released: readonly SweepLine[];
}

export interface EnvironmentInfo {
  readonly name: string;
  readonly provider: string;
  readonly summary: string;
  readonly policy: LeasePolicy;
  readonly warm: number;
  /** Absent when the provider cannot be asked, such as a plugin that nobody has locked; `problem` says why. */
  readonly capabilities?: Capabilities;
  readonly problem?: string;
}

export interface Runtime extends AsyncDisposable {
  readonly home: string;
  readonly config: Config;
  /** Executes in this process; the returned job is already recorded. Rejects when the request is refused. */
  run(request: RunRequest): Promise<Job>;
  /** Records a run and leaves it to the next watcher (`attach`, or any process that recovers). */
  submit(request: RunRequest): Promise<{ readonly run: Run; readonly created: boolean }>;
  /** Follows a run; takes it over when it has no living watcher. `run` may be an unambiguous beginning of the id. */
  attach(run: string): Promise<Job>;
  show(run: string): Promise<{ readonly run: Run; readonly lease: Lease | undefined; readonly events: readonly StoredEvent[] }>;
  runs(filter?: RunFilter): Promise<readonly Run[]>;
  logs(run: string, options?: LogOptions): AsyncIterable<LogEntry>;
  cancel(run: string, options?: { readonly force?: boolean }): Promise<CancelResult>;
  acquire(
    environment: string,
    options?: { readonly ttl?: Duration; readonly image?: string; readonly labels?: Readonly<Record<string, string>> },
  ): Promise<LeaseHandle>;
  lease(id: string): Promise<LeaseHandle>;
  leases(options?: { readonly all?: boolean }): Promise<readonly Lease[]>;
  /** Finishes runs that lost their watcher, releases what has expired, pays debts, removes what is proven dead. */
  sweep(options?: { readonly dryRun?: boolean }): Promise<SweepReport>;
  /** Fills the pools of ready places, of one environment or of all, and releases ready places that none of them wants. */
  warm(environment?: string, options?: { readonly dryRun?: boolean }): Promise<WarmReport>;
  /** By lease id: why its place is not what its environment would give today. */
  outdated(leases: readonly Lease[]): Promise<ReadonlyMap<string, string>>;
  environments(): Promise<readonly EnvironmentInfo[]>;
  /** What would stop a run on this environment; empty when it is ready. */
  check(environment: string): Promise<readonly Diagnostic[]>;
  /** The infrastructure that the config describes, or its variant for one environment. Close it when done. */
  infra(options?: { readonly env?: string }): Promise<InfraStack>;
  /** Every stack of the config, or that of one environment, with what is wrong in it; reads no secret and asks no platform. */
  checkInfra(options?: { readonly env?: string }): Promise<readonly CheckedStack[]>;
}

export interface RuntimeOptions {
  /** Data directory; by default ERRAND_HOME, else `.errand/` beside the nearest errand.yaml, else the user's state directory. */
  readonly home?: string;
  /** A config file, or a directory to search upwards from; the working directory when absent. */
  readonly config?: string;
  /** `sqlite` or a `postgres://` URL; overrides the config. */
  readonly store?: string;
  /** Environment variables, for `${env:…}` and `secret://env/…`; the process's own when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Talk for a person: image layers, a run being taken over. */
  readonly log?: (line: string) => void;
  /** A run is about to come there: what takes time to come up is started at once. */
  readonly soon?: { readonly environment: string; readonly image?: string };
  /** Called when a ready place was taken; by default this process fills the pool again in the background. */
  readonly refill?: (environment: string) => void;
  /** Take over runs of dead processes in the background; true when absent. */
  readonly recover?: boolean;
}
