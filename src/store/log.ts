/** One entry of a project's log. `seq` counts up by one within a project; `body` is plain JSON. */
export interface Entry<B = unknown> {
  readonly project: string;
  readonly seq: number;
  readonly id: string;
  readonly prevId: string | null;
  readonly body: B;
}

/** `unknown`: the entry may or may not exist after a restart. The log accepts nothing after it. */
export type AppendResult = 'ok' | 'conflict' | 'unknown';

/**
 * The interface between the store and its log: the embedded journal, or later a distributed log. Entries hold results,
 * never commands.
 */
export interface Log<B = unknown> {
  /** Resolves once the entry is durable. `expectedSeq` is the seq of the project's last entry (0 for none). Entries appended while a sync is under way share the next one. */
  append(
    project: string,
    expectedSeq: number,
    entry: {
      readonly id: string;
      readonly prevId: string | null;
      readonly body: B;
      /** Encode the body, a frozen object, later and in slices: encoding it now would block the event loop. */
      readonly large?: boolean;
    },
  ): Promise<AppendResult>;
  /** Entries of a project after `fromSeq` that are still kept. */
  read(project: string, fromSeq: number): readonly Entry<B>[];
  /**
   * Calls the listener with a project's id after an append. Notifications carry no data and may be lost. Returns the
   * function that unsubscribes.
   */
  subscribe(listener: (project: string) => void): () => void;
}
