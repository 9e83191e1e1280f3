import type { RateLimiters } from '../../rate-limiters.ts';
import type { Log } from '../log.ts';
import type { AnswerStore } from './answer-store.ts';
import type { BlobStore } from './blob-store.ts';
import type { RevisionStore } from './revision-store.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** What the nodes of a service share. */
export interface SharedStorage {
  readonly log: Log;
  readonly answers: AnswerStore;
  readonly blobs: BlobStore;
  readonly snapshots: SnapshotStore;
  readonly revisions: RevisionStore;
  /** Absent: each node counts by itself. */
  readonly limiters?: RateLimiters & {
    /** Removes what has expired. */
    sweep(): Promise<void>;
  };
  /** Whether a synchronous standby is connected; undefined if that is hidden. Absent if none is required. */
  readonly hasStandby?: () => Promise<boolean | undefined>;
  /** Resolves when what is under way is decided. */
  close(): Promise<void>;
}
