import type { IdSource } from '../../../base/ids.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { Collection } from '../../record/collection.ts';
import { type Disk, nodeDisk } from '../disk/disk.ts';
import { migrations } from '../disk/migration.ts';
import type { Migration } from '../disk/migration.ts';
import type { ServiceCollectionSpec } from '../../replica/service-records.ts';
import type { DescribeEntry } from '../../record/feed.ts';
import type { DeriveIndex } from '../../record/derive-index.ts';
import { type IndexBounds, indexBounds } from './index-files.ts';

/** How external edits are noticed: by events of the system, or by polling the files. */
export type WatchMode = 'events' | 'poll';

/** The options of a store. Clock, ids, disk and the writer are members, so that tests need no mocks. */
export interface StoreOptions {
  /** Absolute path of the `.planner` directory; created if missing. */
  readonly root: string;
  /** Absolute path of a copy of the root's `local/`, for a read-only root. Default: `local` in the root. */
  readonly local?: string;
  readonly collections: readonly Collection[];
  readonly serviceCollections: readonly ServiceCollectionSpec[];
  readonly derived?: Readonly<Record<string, DeriveIndex>>;
  /** Derives the events of the projects' feeds; false (default): there are no feeds. */
  readonly describe?: DescribeEntry | false;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  readonly disk?: Disk;
  /** Where files are written and watched: in worker threads (default), or in this thread. */
  readonly writer?: 'thread' | 'inline';
  /** The migrations from older file formats to the current one. */
  readonly migrations?: readonly Migration[];
  /** How external edits are noticed; true (default) chooses by the file system, false leaves them to rescans. */
  readonly watch?: boolean | WatchMode;
  /**
   * How often all files are rescanned in case an event was lost, in milliseconds. Default 60,000; 0 disables rescans.
   */
  readonly rescanIntervalMs?: number;
  /** Journal segments rotate at about this size. */
  readonly segmentBytes?: number;
  /** When the index of a project's history leaves memory, and how it is written. */
  readonly historyIndex?: IndexBounds;
  /** How long a parked change waits before it is retried, in milliseconds. */
  readonly parkedRetryMs?: number;
  /** Signs `local/` as this user's own; called whenever it is created, at the opening or after it was removed. */
  readonly signLocal?: () => void;
  /** Writes one line to the operator's log. Never contains a record's text. */
  readonly log?: (message: string) => void;
}

export const defaultOptions = {
  describe: false,
  clock: systemClock,
  disk: nodeDisk,
  writer: 'thread',
  migrations,
  watch: true,
  rescanIntervalMs: 60_000,
  segmentBytes: 16 * 1024 * 1024,
  historyIndex: indexBounds,
  parkedRetryMs: 5000,
  signLocal: () => undefined,
  local: '',
  log: (message: string) => void message,
} as const;
