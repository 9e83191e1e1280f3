import type { IdSource } from '../../../ids.ts';
import { type Clock, systemClock } from '../../../clock.ts';
import type { Collection } from '../../record/collection.ts';
import { type Disk, nodeDisk } from '../disk/disk.ts';
import { migrations } from '../disk/migration.ts';
import type { Migration } from '../disk/migration.ts';
import type { ServiceCollectionSpec } from '../../index/service-records.ts';
import type { DerivedIndex, View } from '../../record/view.ts';

/** Makes a project's derived index. `touch` says that what is shown of a record changed although its own fields did not. */
export type DeriveIndex = (view: View, touch: (collection: string, id: string) => void) => DerivedIndex;

/** Everything a store is made of. Clock, ids, disk and the writing thread are members, so that tests need no mocks. */
export interface StoreOptions {
  /** Absolute path of the `.planner` directory; made when it is not there. */
  readonly root: string;
  /** Absolute path of a copy of the root's `local/`, for a root that is only read. Default: `local` in the root. */
  readonly local?: string;
  readonly collections: readonly Collection[];
  readonly serviceCollections: readonly ServiceCollectionSpec[];
  readonly derived?: Readonly<Record<string, DeriveIndex>>;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  readonly disk?: Disk;
  /** Where files are written: a thread of its own (default), or this thread. */
  readonly writer?: 'thread' | 'inline';
  /** The steps from older formats of the files to the present one. */
  readonly migrations?: readonly Migration[];
  /** Whether edits on disk are listened to. Default true. */
  readonly watch?: boolean;
  /** How often all files are looked at in case an event was lost, in milliseconds. Default 60,000; 0 for never. */
  readonly beatMs?: number;
  /** Journal segments rotate at about this size. */
  readonly segmentBytes?: number;
  /** How long a change whose file cannot be written waits before it is tried again, in milliseconds. */
  readonly parkedRetryMs?: number;
  /** Signs `local/` as this user's own; called whenever it is made, at the opening or after it was removed. */
  readonly signLocal?: () => void;
  /** One line for the operator's log. Never contains a record's text. */
  readonly log?: (message: string) => void;
}

export const defaultOptions = {
  clock: systemClock,
  disk: nodeDisk,
  writer: 'thread',
  migrations,
  watch: true,
  beatMs: 60_000,
  segmentBytes: 16 * 1024 * 1024,
  parkedRetryMs: 5000,
  signLocal: () => undefined,
  local: '',
  log: (message: string) => void message,
} as const;
