import type { Ask, Call } from './call.ts';
import type { Handle, Ref } from './handle.ts';
import type { Resources, Seen } from './job.ts';
import type { Json } from './json.ts';
import type { TreeEntry } from './tree.ts';

export interface PlaceSpec {
  readonly owner: string;
  /** Milliseconds since the epoch; the far side gives the place up by itself where it can. */
  readonly expiresAt: number;
  readonly image?: string;
  readonly resources: Resources;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Json;
  /** Many jobs will come, one after the other: what makes the next one start sooner may be kept alive. */
  readonly standing?: boolean;
}

/** Standing places (a directory, a container, a remote host, a pod) that hold a workspace and take many jobs. */
export interface Host {
  /** The same key adopts the place that is there. */
  acquire(spec: PlaceSpec, call: Call): Promise<Handle<'place'>>;
  /** Never shortens. Also raises the place's fence to the call's epoch. */
  renew(place: Handle<'place'>, expiresAt: number, call: Call): Promise<void>;
  /** Puts the files into the workspace. Repeating it after a half-done one gives the same workspace. */
  realize(place: Handle<'place'>, files: AsyncIterable<TreeEntry>, call: Call): Promise<void>;
  /** The workspace's files and links that match any of the patterns, as `pathMatcher` reads them; directories are not given. */
  collect(place: Handle<'place'>, patterns: readonly string[], ask: Ask): AsyncIterable<TreeEntry>;
  /** Resolves when the place and every process in it are gone. Releasing what is gone or never was is fine. */
  release(place: Ref<'place'>, call: Call): Promise<void>;
  /** By owner. A list may lag: absence is no proof. */
  inventory(owner: string, ask: Ask): AsyncIterable<Seen<'place'>>;
}
