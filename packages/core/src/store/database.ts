// The little that the store needs of a database. Statements are written once, with `$1` placeholders, for both drivers.

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

export interface Reader {
  readonly dialect: Dialect;
  all(sql: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

export interface Transaction extends Reader {
  /** Gives the number of rows that it changed. */
  run(sql: string, values?: readonly Value[]): Promise<number>;
}

export interface Database extends Reader, AsyncDisposable {
  /**
   * Commits when `work` resolves, else leaves nothing behind. `work` may be run again after a conflict, so it touches
   * nothing but `tx`.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Calls back soon after a commit by anybody, in any process; sometimes for nothing. */
  watch(listener: () => void): Disposable;
}

/** The words in which the two databases differ. */
export interface Dialect {
  /** A column that sorts and compares by bytes, so that a range finds a beginning. */
  readonly text: string;
  readonly number: string;
  readonly serial: string;
  /** One row when the table named `$1` exists. */
  readonly findTable: string;
  /** Ends a SELECT whose rows are to be changed in the same transaction. */
  readonly forUpdate: string;
  /** The same, for a row that is one of many as good: those that others are changing are passed over. */
  readonly forUpdateOfAny: string;
  /** To the end of the transaction, nobody else passes with the same name `$1`. Absent where writers never overlap. */
  readonly lockName?: string;
  /** The text of a field of a column that holds JSON. */
  readonly field: (column: string, name: string) => string;
  /** Makes the rest of the transaction the only one that migrates. */
  readonly lockSchema: readonly string[];
  /** From then to the end of the transaction, no event can appear whose `seq` is smaller than a visible one. */
  readonly settleEvents?: string;
}
