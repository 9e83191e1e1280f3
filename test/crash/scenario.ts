import type { Disk } from '../../src/store/files/disk/disk.ts';
import type { Problem } from '../../src/store/record/read-transaction.ts';
import type { ShownState } from './shown-state.ts';

/** A store or a service over one directory, for scenarios. */
export interface World {
  /** Contains `.planner`. */
  readonly directory: string;
  readonly disk: Disk;
  /** Opens it again after a close. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** Writes everything back. */
  flush(): Promise<void>;
  /** Rescans every file. */
  rescan(): Promise<void>;
  /** Undefined while it is closed. */
  shown(): Promise<ShownState | undefined>;
  check(): readonly Problem[];
  /** Releases everything immediately, like the end of the process. */
  abandon(): Promise<void>;
}

/** One step of a caller or an external edit. Once it resolves it is acknowledged. Each is all or nothing. */
export type Step<W extends World> = (world: W) => Promise<unknown>;

/** The steps during which the disk fails. Created for each run: steps pass ids to later ones. */
export interface Scenario<W extends World = World> {
  readonly title: string;
  readonly make: (directory: string, disk: Disk) => W;
  readonly steps: () => {
    /** Steps on a working disk before the measurement. The last one need not close the store. */
    readonly before?: readonly Step<W>[];
    readonly steps: readonly Step<W>[];
  };
  /**
   * Revisions of external edits, which no call acknowledges, may exist or not after a crash: then only the revisions of
   * completed steps are required.
   */
  readonly revisions?: 'at least';
  /** Checks files other than records, after so many steps. Throws if they are wrong. */
  readonly verify?: (directory: string, done: number) => void;
}
