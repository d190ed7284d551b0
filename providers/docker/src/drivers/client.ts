// What the drivers need of an engine beyond what jobs need, in our words. `sdk.ts` beside this speaks its API.
import type { Engine, Labels, Removal, Volume } from '../client.ts';

export interface Network {
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
  readonly subnet: string;
  readonly gateway: string;
}

export interface NetworkRequest {
  readonly labels: Labels;
  readonly subnet?: string;
  readonly internal: boolean;
}

export interface Published {
  readonly container: number;
  readonly protocol: 'tcp' | 'udp';
  /** Where it is published on the engine's machine. */
  readonly host?: number;
}

export interface ServiceContainer {
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
  /** created, running, paused, restarting, removing, exited, dead. */
  readonly status: string;
  /** none, starting, healthy, unhealthy. */
  readonly health: string;
  /** What the last health check said. */
  readonly healthSaid: string;
  readonly exitCode: number;
  readonly error: string;
  readonly restarts: number;
  readonly startedAt: number;
  readonly ports: readonly Published[];
}

export interface ServiceRequest {
  readonly image: string;
  /** Replaces the image's entrypoint and command. */
  readonly entrypoint?: readonly string[];
  /** Replaces the image's command. */
  readonly command?: readonly string[];
  readonly env: readonly string[];
  readonly labels: Labels;
  readonly ports: readonly Published[];
  readonly publishOn: string;
  readonly network?: string;
  readonly aliases: readonly string[];
  readonly mounts: readonly {
    readonly volume: string;
    readonly target: string;
    readonly readOnly: boolean;
    readonly labels?: Labels;
  }[];
  readonly memory?: number;
  readonly cpus?: number;
  readonly health?: HealthCheck;
  /** A small init program goes before: most programs do not hear SIGTERM as process 1. */
  readonly init: boolean;
}

export interface HealthCheck {
  /** As the engine reads it: `['CMD', …]` or `['CMD-SHELL', script]`. */
  readonly test: readonly string[];
  /** Milliseconds. */
  readonly interval: number;
  readonly timeout: number;
  readonly startPeriod: number;
  readonly retries: number;
}

/** Every call may throw an `EngineFailure`, or the signal's reason. */
export interface ResourceEngine extends Engine {
  /** `taken`: one of that name is there. */
  createNetwork(name: string, request: NetworkRequest, signal: AbortSignal): Promise<'made' | 'taken'>;
  network(name: string, signal: AbortSignal): Promise<Network | undefined>;
  networks(labels: Labels, signal: AbortSignal): Promise<readonly Network[]>;
  removeNetwork(id: string, signal: AbortSignal): Promise<Removal>;
  volume(name: string, signal: AbortSignal): Promise<Volume | undefined>;
  createService(
    name: string,
    request: ServiceRequest,
    signal: AbortSignal,
  ): Promise<{ readonly id: string } | 'taken' | 'no-image'>;
  service(name: string, signal: AbortSignal): Promise<ServiceContainer | undefined>;
  rename(id: string, name: string, signal: AbortSignal): Promise<void>;
  /** Asks it to end and ends it after `seconds`. Resolves when it does not run; one that is gone is fine. */
  stop(id: string, seconds: number, signal: AbortSignal): Promise<void>;
}
