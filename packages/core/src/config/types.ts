import type { Command, Diagnostic, Json, Resources } from '@errand/contract';
import type { LeasePolicy } from '../model/setup.ts';
import type { Tree } from './tree.ts';

/** A named description of where work may run; never alive. Times in milliseconds, memory in bytes. */
export interface Environment {
  readonly name: string;
  readonly provider: string;
  /** The provider's own keys, validated by its schema. */
  readonly options: Json;
  readonly image?: string;
  readonly resources: Resources;
  readonly env: Readonly<Record<string, string>>;
  /** Name → `secret://store/path`. */
  readonly secretEnv: Readonly<Record<string, string>>;
  readonly lease: { readonly policy: LeasePolicy; readonly ttl: number };
  /** Ready places to keep; none when absent. */
  readonly warm?: number;
  /** Run once in a new place, before its first job. */
  readonly provision?: readonly Command[];
  readonly timeout?: number;
  readonly pendingTimeout?: number;
  readonly grace: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Nobody wrote it down; it is there for those who name it, and a run may have to bring what it lacks. */
  readonly unwritten?: boolean;
}

/** A provider that is a program, as the config file names it. */
export interface PluginEntry {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  /** What it is initialised with; references to secrets are still in it. */
  readonly config?: Json;
  readonly env: Readonly<Record<string, string>>;
  /** Name → `secret://store/path`. */
  readonly secretEnv: Readonly<Record<string, string>>;
}

export interface Config {
  /** Absolute; absent when there is none and the defaults stand. */
  readonly file?: string;
  readonly environments: ReadonlyMap<string, Environment>;
  /** By the name that environments use. */
  readonly plugins?: ReadonlyMap<string, PluginEntry>;
  /** `sqlite` in the data directory when absent, else a `postgres://` URL. */
  readonly store?: string;
  /** Directory of the `file` secret store. */
  readonly secretDirectory?: string;
  /** The `infra` section as it was written; `infra/declare` reads it when somebody asks. */
  readonly infra?: InfraSource;
  readonly warnings: readonly Diagnostic[];
}

export interface InfraSource {
  readonly tree: Tree;
  /** What `${env:X}` in it means. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}
