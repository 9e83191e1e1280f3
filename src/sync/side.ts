import type { RecordChange } from '../domain/exchange/apply-changes.ts';
import type { ChangesHead, ChangedRecord } from '../domain/exchange/list-changes.ts';
import type { Revision } from '../store/index.ts';

export type { RecordChange } from '../domain/exchange/apply-changes.ts';
export type { ChangedRecord, ChangesEnd, ChangesHead } from '../domain/exchange/list-changes.ts';

/** The answer of `list_record_changes`. */
export interface Changes {
  readonly head: ChangesHead;
  readonly records: readonly ChangedRecord[];
}

/** One of the two copies of a project: the files, or the hosted project. */
export interface Side {
  /** The changes since a token; everything without a token. */
  changes(since: string | undefined): Promise<Changes>;
  /** Revisions by their ids, at most 100. */
  revisions(ids: readonly string[]): Promise<readonly Revision[]>;
  /** The bytes of a file. */
  bytes(file: string): Promise<Uint8Array>;
  /**
   * Applies all changes, or rejects with `conflict` and applies no change if a record is neither as it `was` nor as it
   * is to be.
   */
  apply(changes: readonly RecordChange[], revisions: readonly Revision[]): Promise<void>;
}
