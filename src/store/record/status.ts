import type { Source } from './record.ts';
import type { Problem } from './read-transaction.ts';

/** Who makes a change, and through which door. */
export interface ChangeMeta {
  readonly author: string;
  readonly source: Source;
  /** The editing session that the change belongs to, where its maker says so: changes of one session are one piece of work. */
  readonly session?: string | undefined;
  /** Called with the size of the journal entry that the change makes, once it is on its way. */
  readonly charge?: ((bytes: number) => void) | undefined;
}

export interface StoreStatus {
  readonly root: string;
  readonly projects: number;
  /** Changes that are not in their files yet. */
  readonly pending: number;
  readonly journalBytes: number;
  readonly written: number;
  /** False once the journal failed: reads go on, writes are refused until a restart. */
  readonly writable: boolean;
  /** What git is doing, where it keeps files from being written. */
  readonly git: string | null;
  /** Problems of the root itself, not of one project. */
  readonly problems: readonly Problem[];
}
