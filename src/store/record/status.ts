import type { Source } from './record.ts';
import type { Problem } from './read-transaction.ts';

/** The author and the transport of a change. */
export interface ChangeMeta {
  readonly author: string;
  readonly source: Source;
  /** The editing session of the change, if given: changes of one session are one unit of work. */
  readonly session?: string | undefined;
  /** The change set is an import. */
  readonly via?: 'import' | undefined;
  /** Called with the size of the change's journal entry, once it is appended. */
  readonly charge?: ((bytes: number) => void) | undefined;
}

export interface StoreStatus {
  readonly root: string;
  readonly projects: number;
  /** Changes that are not in their files yet. */
  readonly pending: number;
  readonly journalBytes: number;
  readonly written: number;
  /** False after the journal has failed: reads continue, writes are rejected until a restart. */
  readonly writable: boolean;
  /** The git operation that prevents files from being written, if any. */
  readonly git: string | null;
  /** How external edits are noticed: by events, by polling, or not at all. */
  readonly watch: 'events' | 'poll' | 'off';
  /** Problems of the root itself, not of one project. */
  readonly problems: readonly Problem[];
}
