/** One entry of a project's log. `seq` counts up by one within a project; `body` is plain JSON. */
export interface Entry<B = unknown> {
  readonly project: string;
  readonly seq: number;
  readonly id: string;
  readonly prevId: string | null;
  readonly body: B;
}

/** `unknown`: the entry may or may not be there after a restart. Nothing more is accepted then. */
export type AppendResult = 'ok' | 'conflict' | 'unknown';

/** The seam between the store and what keeps its changes: the embedded journal, or later a distributed log. Entries hold results, never commands. */
export interface Log<B = unknown> {
  /** Resolves once the entry is durable. `expectedSeq` is the seq of the project's last entry (0 for none). Entries appended while a sync is under way share the next one. */
  append(
    project: string,
    expectedSeq: number,
    entry: {
      readonly id: string;
      readonly prevId: string | null;
      readonly body: B;
      /** The body, a frozen object, is encoded later and in slices: encoding it now would hold up every other request. */
      readonly large?: boolean;
    },
  ): Promise<AppendResult>;
  /** Entries of a project after `fromSeq`, as far as they are kept. */
  read(project: string, fromSeq: number): readonly Entry<B>[];
  /** Called with a project's id when something was appended; a doorbell without data that may be lost. */
  subscribe(listener: (project: string) => void): () => void;
}
