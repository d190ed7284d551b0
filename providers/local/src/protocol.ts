// What passes between an opened provider and its supervisor: JSON lines, requests on stdin, replies on stdout.
// Replies only save time. The truth is in the files, which any process can read when the line is cut.
import type { Command, ErrorCode, JobExit } from '@errand/contract';

export interface StartRequest {
  readonly id: number;
  /** What the names of the job's files begin with. */
  readonly base: string;
  readonly placeDir: string;
  /** Where a stop that came before the start has left its mark. */
  readonly cancelled: string;
  readonly epoch: number;
  readonly mark: string;
  readonly command: Command;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Plaintext: it exists here, in the job's environment, and nowhere on disk. */
  readonly secrets: readonly string[];
  readonly grace: number;
  readonly timeout?: number;
  readonly memory?: number;
  readonly sandbox?: { readonly program: string; readonly hide: string };
}

/** `taken`: another supervisor has the claim. `refused`: nothing was started, and nothing ever will be by this request. */
export type StartReply =
  | { readonly kind: 'started' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };

export type Reply = { readonly id: number; readonly reply: StartReply } | { readonly base: string; readonly exit: JobExit };
