import type { Disk } from '../../src/store/files/disk/disk.ts';
import type { Problem } from '../../src/store/record/read-transaction.ts';
import type { ShownState } from './shown-state.ts';

/** A store or a service over one directory, as a scenario works with it. */
export interface World {
  /** Holds `.planner`. */
  readonly directory: string;
  readonly disk: Disk;
  /** Opens what was closed. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** Writes everything to the files. */
  flush(): Promise<void>;
  /** Looks at every file. */
  rescan(): Promise<void>;
  /** Undefined while it is closed. */
  shown(): Promise<ShownState | undefined>;
  check(): readonly Problem[];
  /** Lets go at once, as the end of the process would. */
  abandon(): Promise<void>;
}

/** One thing that a caller or a person does. Once it resolves it is acknowledged. Each is all or nothing. */
export type Step<W extends World> = (world: W) => Promise<unknown>;

/** What is done while the disk fails. Made anew for each run: steps hand ids to those after them. */
export interface Scenario<W extends World = World> {
  readonly title: string;
  readonly make: (directory: string, disk: Disk) => W;
  readonly steps: () => {
    /** On a disk that is well, before anything counts. The last of it need not be closed. */
    readonly before?: readonly Step<W>[];
    readonly steps: readonly Step<W>[];
  };
  /**
   * Revisions that no call was answered for (of edits made by hand) may be there or not after a crash: then only those of the steps that
   * were done must be there.
   */
  readonly revisions?: 'at least';
  /** Looks at what lies beside the records, after so many steps. Throws where it is not as it should be. */
  readonly verify?: (directory: string, done: number) => void;
}
