import type { EntryBody } from './entry.ts';
import type { Source } from './record.ts';

/** A changed field of a resource. A value that is long or a text of many lines is not included. */
export interface EventChange {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** One event of a change set, as it is stored. */
export interface StoredEvent {
  /** `task.updated` */
  readonly type: string;
  readonly resource: { readonly type: string; readonly id: string; readonly label: string | null };
  readonly changes: readonly EventChange[];
  readonly revision_id?: string;
  /** Why it happened, if the type does not say it: `lease_expired`. */
  readonly reason?: string;
  /** What taking the change back needs and the event does not say. Callers do not get it. */
  readonly kept?: Readonly<Record<string, unknown>>;
}

/** The events of one entry of a project's log. */
export interface EntryEvents {
  readonly seq: number;
  /** The entry's id. */
  readonly id: string;
  readonly at: string;
  readonly author: string;
  readonly source: Source | 'git' | 'import';
  readonly events: readonly StoredEvent[];
}

/** An entry as JSON, and the properties that a storage needs. */
export interface EncodedEntry {
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  /** The number of its events. */
  readonly count: number;
  readonly json: string;
}

/**
 * Derives the events of a change set from its entry alone, so that an entry that is replayed after a crash gives the
 * same events.
 */
export type DescribeEntry = (body: EntryBody) => readonly StoredEvent[];

/** A query for events of a feed. */
export interface FeedQuery {
  /** Maximum number of events. A page contains whole change sets, unless one alone is larger. */
  readonly limit: number;
  readonly accepts: (event: StoredEvent) => boolean;
  /** The last events before the cursor, without one those before the present, in place of the first ones after it. */
  readonly isBackward?: boolean;
}

export interface FeedEvent {
  /** Reading after it continues with the next event. */
  readonly cursor: string;
  readonly entry: Pick<EntryEvents, 'at' | 'author' | 'source'>;
  readonly event: StoredEvent;
}

/** A part of a feed. */
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** The place to continue from: after the events, or before them if they were read backward. */
  readonly cursor: string;
  /** True if there is more to be read now. */
  readonly more: boolean;
}
