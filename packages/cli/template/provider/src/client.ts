/** What the drivers need of the platform, and no more. `files.ts` is the only file that knows how it is done. */
export interface Notes {
  /** Undefined: there is none. */
  find(name: string): Promise<Note | undefined>;
  /** All or nothing, and only one of many that come at once succeeds. False: something is there already. */
  add(note: Note): Promise<boolean>;
  /** Takes the place of the note of that name. */
  put(note: Note): Promise<void>;
  /** What is gone is fine. */
  remove(name: string): Promise<void>;
}

export interface Note {
  readonly id: string;
  readonly name: string;
  /** The key of the call that made it: how a repeated call knows its own. */
  readonly key: string;
  readonly text: string;
  readonly author: string;
}
