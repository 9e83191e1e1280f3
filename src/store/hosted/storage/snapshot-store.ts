import type { Head } from '../../record/log.ts';

/** The approximate size of a snapshot. */
export interface SnapshotSize {
  readonly lines: number;
  readonly characters: number;
}

/** What a node keeps of a project that is not in memory, as of an entry of its log. */
export interface Summary {
  readonly log: string;
  readonly head: Head;
  readonly text: string;
}

/**
 * Where images of the replicas of logs are kept, so that a replica is its newest snapshot and the entries after it. The
 * bytes of a snapshot are opaque here. Entries below the older of the last two snapshots may be removed from the log.
 */
export interface SnapshotStore {
  /** The heads of the complete snapshots of these logs, newest first; a log without one is not in the answer. */
  heads(logs: readonly string[]): Promise<ReadonlyMap<string, readonly Head[]>>;
  /** The first bytes of each of these snapshots, 64 KiB at most. One that is not there any more is not in the answer. */
  beginnings(heads: ReadonlyMap<string, Head>): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The stored summary of each of these logs, whatever its entry is; a log without one is not in the answer. */
  summaries(logs: readonly string[]): Promise<ReadonlyMap<string, Summary>>;
  /** Stores summaries in the place of the ones before. One of an entry that is not in the log is left out. */
  putSummaries(summaries: readonly Summary[]): Promise<void>;
  /** The bytes of a snapshot, in parts. Throws `SnapshotError` if a part is missing. */
  read(log: string, head: Head): AsyncIterable<Uint8Array>;
  /**
   * Stores a snapshot, and removes all but the last two of the log. Resolves to whether it is stored: another node may
   * be storing one of the same entry, and an entry that is not in the log has no snapshot. If `parts` throws, the error
   * is rethrown, and no snapshot is added.
   */
  put(log: string, head: Head, parts: AsyncIterable<Uint8Array>): Promise<boolean>;
  /** The logs that have entries below the older of two snapshots, and older than this. */
  trimmable(keepMs: number): Promise<readonly string[]>;
  /** Removes such entries with a lower sequence, some at a time. Resolves to their number: 0 if no entries are left. */
  trim(log: string, below: number, keepMs: number): Promise<number>;
}

/** A snapshot is not as it was stored, or not of this log: the next older one has to be used, or the whole log. */
export class SnapshotError extends Error {}

/** Bytes of a snapshot that are read of many logs at a time. */
export const beginningBytes = 64 * 1024;

/** Snapshots of a log that stay. */
export const snapshotsKept = 2;
