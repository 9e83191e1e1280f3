import type { RateLimiters } from '../../../base/rate-limiters.ts';
import type { Log } from '../../record/log.ts';
import type { AnswerStore } from './answer-store.ts';
import type { BlobStore } from './blob-store.ts';
import type { DeletedLogs } from './deleted-logs.ts';
import type { RevisionStore } from './revision-store.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { TextStore } from './text-store.ts';

/** What the nodes of a service share. */
export interface SharedStorage {
  readonly log: Log;
  readonly answers: AnswerStore;
  readonly blobs: BlobStore;
  readonly snapshots: SnapshotStore;
  readonly revisions: RevisionStore;
  readonly texts: TextStore;
  /** Nodes of an earlier version may be running, which know no references to texts: then there must be none. */
  readonly hasEarlierNodes?: boolean;
  /** Absent: each node counts by itself. */
  readonly limiters?: RateLimiters & {
    /** Removes what has expired. */
    sweep(): Promise<void>;
  };
  /** Absent if the rows of deleted projects stay. */
  readonly deletedLogs?: DeletedLogs;
  /** Whether a synchronous standby is connected; undefined if that is hidden. Absent if none is required. */
  readonly hasStandby?: () => Promise<boolean | undefined>;
  /**
   * Connections that are in use at the moment, other than those of the log, and statements that wait for one. Absent if
   * there are none.
   */
  readonly connections?: () => { readonly inUse: number; readonly waiting: number };
  /**
   * The node ends: what is under way, or still comes, waits for a database that is away only for a moment. Absent if nothing
   * waits.
   */
  readonly hasten?: () => void;
  /** Resolves when what is under way is decided. */
  close(): Promise<void>;
}
