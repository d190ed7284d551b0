// What we need of a Docker engine, in our words. `sdk.ts` is the only file that speaks its HTTP API.

export interface Volume {
  readonly name: string;
  readonly labels: Labels;
}

export type Labels = Readonly<Record<string, string>>;

export interface Container {
  readonly id: string;
  readonly labels: Labels;
  /** created, running, paused, restarting, removing, exited, dead. */
  readonly status: string;
  /** Milliseconds since the epoch; absent when it never started, or has not ended. */
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  /** The engine's words when it could not start it. */
  readonly error: string;
}

/** One of a list: enough to name and remove it. */
export interface ListedContainer {
  readonly id: string;
  readonly labels: Labels;
  readonly status: string;
}

export interface EngineInfo {
  readonly os: string;
  readonly cpus: number;
  readonly limitsMemory: boolean;
  readonly limitsCpu: boolean;
  readonly limitsPids: boolean;
  /** Has a small init program to put before a job. */
  readonly hasInit: boolean;
  readonly logDrivers: readonly string[];
  /** As the engine calls it: x86_64, aarch64, amd64, arm64, … */
  readonly machine: string;
}

export interface MountRequest {
  readonly kind: 'volume' | 'bind';
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
  /** For a volume that the engine would have to make: it makes missing ones without asking. */
  readonly labels?: Labels;
}

export interface ContainerRequest {
  readonly image: string;
  readonly argv: readonly string[];
  readonly env: readonly string[];
  readonly labels: Labels;
  readonly mounts: readonly MountRequest[];
  readonly workdir?: string;
  readonly user?: string;
  readonly network: string;
  readonly init: boolean;
  /** Its stdin stays open for whoever attaches. */
  readonly listens?: boolean;
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> };
  readonly memory?: number;
  readonly cpus?: number;
  readonly pids?: number;
  readonly dropCapabilities?: readonly string[];
  readonly addCapabilities?: readonly string[];
  readonly noNewPrivileges?: boolean;
  readonly readOnlyRoot?: boolean;
  /** Directory → mount options. */
  readonly tmpfs?: Readonly<Record<string, string>>;
}

export interface LogRequest {
  readonly follow: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** `seconds.nanoseconds`; that moment included. */
  readonly since?: string;
}

export interface ImageInfo {
  readonly user: string;
}

/** A program's stdin and stdout. */
export interface Connection {
  send(bytes: Uint8Array): void;
  /** Ends with the program, or when the connection does. */
  readonly output: AsyncIterable<Uint8Array>;
  close(): void;
}

/** How a removal went. `busy`: something uses it, it runs, or it is being removed by somebody else. */
export type Removal = 'removed' | 'absent' | 'busy';

/** One engine. Every call may throw an `EngineFailure`, or the signal's reason. */
export interface Engine {
  readonly address: string;
  info(signal: AbortSignal): Promise<EngineInfo>;
  hasNetwork(name: string, signal: AbortSignal): Promise<boolean>;

  /** Gives the one that is there when the name is taken, with that one's labels. */
  createVolume(name: string, labels: Labels, signal: AbortSignal): Promise<Volume>;
  volumes(labels: Labels, signal: AbortSignal): Promise<readonly Volume[]>;
  removeVolume(name: string, signal: AbortSignal): Promise<Removal>;

  /** `taken`: a container of that name is there. `no-image`: the image is not on the engine. */
  createContainer(
    name: string,
    request: ContainerRequest,
    signal: AbortSignal,
  ): Promise<{ readonly id: string } | 'taken' | 'no-image'>;
  container(name: string, signal: AbortSignal): Promise<Container | undefined>;
  containers(labels: Labels, signal: AbortSignal): Promise<readonly ListedContainer[]>;
  startContainer(id: string, signal: AbortSignal): Promise<void>;
  /** Resolves when it does not run, or when the connection ends; only a look at it tells which. */
  waitForContainer(id: string, signal: AbortSignal): Promise<void>;
  killContainer(id: string, how: 'SIGTERM' | 'SIGKILL', signal: AbortSignal): Promise<void>;
  unpauseContainer(id: string, signal: AbortSignal): Promise<void>;
  removeContainer(id: string, force: boolean, signal: AbortSignal): Promise<Removal>;

  /** To the main program of a running container; everybody who is attached shares it. The signal ends the connecting only. */
  attach(id: string, signal: AbortSignal): Promise<Connection>;
  /** To a program that is run in a running container beside the main one. */
  execute(id: string, argv: readonly string[], signal: AbortSignal): Promise<Connection>;

  /** The engine's multiplexed frames, each line with its time in front. */
  logs(id: string, request: LogRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;
  putArchive(id: string, path: string, tar: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Undefined when there is no such path. */
  getArchive(id: string, path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;

  hasPath(id: string, path: string, signal: AbortSignal): Promise<boolean>;

  image(name: string, signal: AbortSignal): Promise<ImageInfo | undefined>;
  /** The engine's progress lines. `credentials` is the value of the header that carries a login. */
  pull(name: string, credentials: string | undefined, signal: AbortSignal): AsyncIterable<PullLine>;
  /** Asks the registry, through the engine, whether the image can be had; only to learn why a pull failed. */
  distribution(name: string, credentials: string | undefined, signal: AbortSignal): Promise<void>;

  close(): void;
}

export interface PullLine {
  readonly layer?: string;
  readonly text: string;
  readonly failed: boolean;
}

/** The engine's refusal (a status), or the connection's (a code). */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(message: string, details: { readonly status?: number; readonly code?: string; readonly cause?: unknown }) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.code = details.code;
  }
}
