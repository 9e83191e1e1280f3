import type { Clock } from '../../../base/clock.ts';
import type { IdSource } from '../../../base/ids.ts';
import type { ServiceCollectionSpec } from '../../replica/service-records.ts';
import type { Collection } from '../../record/collection.ts';
import type { DeriveIndex } from '../../record/derive-index.ts';
import type { DescribeEntry } from '../../record/feed.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { TitleWords } from '../../record/title-search.ts';
import type { SharedStorage } from '../storage/shared-storage.ts';
import type { SnapshotSettings } from './snapshot-taker.ts';

/** The options of a node. */
export interface HostedOptions {
  /** Closed with the store. */
  readonly storage: SharedStorage;
  readonly collections: readonly Collection[];
  readonly serviceCollections: readonly ServiceCollectionSpec[];
  readonly derived?: Readonly<Record<string, DeriveIndex>>;
  /** Derives the events of the projects' feeds. Default: there are no events. */
  readonly describe?: DescribeEntry;
  /** By which searches over all projects find the ones to be read. Default: these read some projects only. */
  readonly titles?: TitleWords;
  /** A digest of a record's content, for the list of projects. Default: none is kept. */
  readonly tagOf?: (record: StoredRecord) => string;
  /** The clock of this machine; leases and times of records follow the log's. */
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** When snapshots are taken. Default: `snapshotDefaults`. */
  readonly snapshots?: SnapshotSettings;
  /** The memory that projects may take, in bytes. Default: half of the heap of the process. */
  readonly memoryBytes?: number;
  /** Writes one line to the operator's log. Never contains a record's text. */
  readonly report?: (message: string) => void;
}
