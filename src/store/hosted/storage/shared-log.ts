import type { Entry, Log } from '../../record/log.ts';

/** An entry without its content. */
export type EntryName = Pick<Entry, 'project' | 'seq' | 'id'>;

/** What was appended to any log since a question before. */
export interface Changes {
  /**
   * Every entry that the answer to that question could not see, in no order; some more may be among them. Undefined if
   * that cannot be said, or is too much: then each head has to be asked for.
   */
  readonly entries: readonly EntryName[] | undefined;
  /** What was seen: the next question continues after it. */
  readonly mark: string;
  /** The log's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** Why the log accepts nothing at the moment, while it is read. */
  readonly unsafe?: Error;
}

/** A log that several nodes append to. */
export interface SharedLog<B = unknown> extends Log<B> {
  /**
   * The entries of all logs since `mark`, at least the ones acknowledged before the call: the answer costs what has
   * changed, whatever the number of logs. An entry that commits late is in the answer after its commit. Without `mark`,
   * and if the history may be another one than it was, `entries` is undefined.
   */
  changes(mark: string | undefined): Promise<Changes>;
}
