import type { RateLimiters } from '../../../base/rate-limiters.ts';
import type { AnswerStore } from './answer-store.ts';
import type { BlobStore } from './blob-store.ts';
import type { DeletedLogs } from './deleted-logs.ts';
import type { RevisionStore } from './revision-store.ts';
import type { SharedLog } from './shared-log.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { TextStore } from './text-store.ts';
import type { TitleStore } from './title-store.ts';

/** The storage that the nodes of a service share. */
export interface SharedStorage {
  readonly log: SharedLog;
  readonly answers: AnswerStore;
  readonly blobs: BlobStore;
  readonly snapshots: SnapshotStore;
  readonly revisions: RevisionStore;
  readonly texts: TextStore;
  /** Absent if no titles are kept. */
  readonly titles?: TitleStore;
  /**
   * Nodes of an earlier version may be running, which know no references to texts: the log must then contain no
   * references.
   */
  readonly hasEarlierNodes?: boolean;
  /** Absent: each node counts separately. */
  readonly limiters?: RateLimiters & {
    /** Removes expired counts. */
    sweep(): Promise<void>;
  };
  /** Absent if the rows of deleted projects stay. */
  readonly deletedLogs?: DeletedLogs;
  /**
   * Returns whether a synchronous standby is connected; undefined if that is hidden. Absent if no standby is required.
   */
  readonly hasStandby?: () => Promise<boolean | undefined>;
  /**
   * The connections that are in use at the moment, except the log's, and the statements that wait for a connection.
   * Absent without connections.
   */
  readonly connections?: () => { readonly inUse: number; readonly waiting: number };
  /**
   * The node ends: present and further statements wait for a database that is away only for a moment. Absent if nothing
   * waits.
   */
  readonly hasten?: () => void;
  /** Resolves when statements under way are decided. */
  close(): Promise<void>;
}
