import type { Runtime } from '@errand/core';
import type { Style } from './render/style.ts';
import type { Sink } from './sink.ts';

/** What a command may touch. Tests give it other ends. */
export interface Context {
  readonly out: Sink;
  readonly err: Sink;
  /** For what goes to stdout. */
  readonly style: Style;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly home: string | undefined;
  readonly config: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
  open(options?: OpenOptions): Promise<Runtime>;
  /** Talk for a person on stderr; silent with --quiet. */
  say(line: string): Promise<void>;
  /** What must be known even with --quiet. */
  warn(line: string): Promise<void>;
  /** The line that a person typed, undefined when they left without one. Absent without a terminal: then nobody is asked. */
  readonly ask: Ask | undefined;
  /** Ctrl-C and SIGTERM come here instead of ending the process. */
  onInterrupt(listener: () => void): Disposable;
  /** Leaves at once without giving anything back; what goes on is recorded. */
  leave(status: number): Promise<never>;
  /** Starts this program again, in a session of its own, without our streams. */
  startDetached(args: readonly string[]): Promise<void>;
}

export type Ask = (question: string, signal: AbortSignal) => Promise<string | undefined>;

export interface OpenOptions {
  /** Take over runs of dead processes in the background; commands that only look do not. */
  readonly recover?: boolean;
  /** Where a run is about to come. */
  readonly soon?: { readonly environment: string; readonly image?: string };
}

export async function printLine(context: Pick<Context, 'out'>, line: string): Promise<void> {
  await context.out.write(`${line}\n`);
}

export async function printJson(context: Pick<Context, 'out'>, value: unknown): Promise<void> {
  await context.out.write(`${JSON.stringify(value)}\n`);
}
