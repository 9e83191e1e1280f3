import type { Revision } from './record.ts';
import type { ChangedTitles } from './title-search.ts';

/** The last entry of a project's log: `seq` 0 if it is empty. `id` null: unknown, since an earlier version wrote it. */
export interface Head {
  readonly seq: number;
  readonly id: string | null;
}

/** The head of an empty log. */
export const emptyHead: Head = { seq: 0, id: null };

/**
 * One entry of a project's log. `seq` counts up by one within a project, `prevId` is the id of the entry before; `body`
 * is plain JSON.
 */
export interface Entry<B = unknown> {
  readonly project: string;
  readonly seq: number;
  readonly id: string;
  readonly prevId: string | null;
  readonly body: B;
}

/** An answer that is kept for repeats of the call. */
export interface KeptAnswer {
  /** The id of the call: a digest of the credential and the idempotency key. */
  readonly id: string;
  readonly kept: string;
}

/** A text that is stored with an entry, by the SHA-256 of its UTF-8 form (hexadecimal). */
export interface StoredText {
  readonly sha256: string;
  readonly text: string;
}

/** An entry to be appended. It keeps its id however often it is sent. */
export interface Append<B = unknown> {
  readonly project: string;
  /** The last entry that the caller knows, including its own appends in progress. */
  readonly after: Head;
  readonly id: string;
  readonly body: B;
  /** The version of the body. Default: 1. */
  readonly version?: number;
  /**
   * Data that is stored if and only if the entry is: answers, which must not be stored already, the hashes of the blobs
   * that the entry references, which have to be stored, large texts that it references, and revisions, of which the
   * entry has references; for an id that is stored already, the first revision stays. So are titles, by which all projects
   * are searched. A log that is not shared has all of it in the entry, and ignores it.
   */
  readonly beside?: {
    readonly answers?: readonly KeptAnswer[];
    readonly blobs?: readonly string[];
    readonly texts?: readonly StoredText[];
    readonly revisions?: readonly Revision[];
    readonly titles?: ChangedTitles;
  };
  /** Encode the body, a frozen object, later and in slices: encoding it now would block the event loop. */
  readonly large?: boolean;
}

export type Appended =
  | { readonly is: 'ok'; readonly head: Head }
  /** Another entry follows `after`, or `after` is not in the log: catch up, and run the rule again. */
  | { readonly is: 'conflict' }
  /** These calls were answered before; nothing was appended. */
  | { readonly is: 'repeat'; readonly answers: readonly string[] }
  /** These blobs, which the entry references, are not stored; nothing was appended. */
  | { readonly is: 'missing'; readonly blobs: readonly string[] }
  /**
   * The storage accepts nothing: a log that is not shared from now on, a shared one perhaps later. Later entries in
   * progress are refused, too. `isUndecided`: the entry was being written, and may or may not exist.
   */
  | { readonly is: 'refused'; readonly why: Error; readonly isUndecided: boolean };

/** The entries that a replica lacks. */
export interface CaughtUp<B = unknown> {
  /** The entries after each known head, in order. */
  readonly entries: readonly Entry<B>[];
  /** Projects with further entries. */
  readonly more: readonly string[];
  /** Projects whose next entry is no longer kept: begin again from a snapshot. */
  readonly trimmed: readonly string[];
  /** Projects whose known head is not in the log: the replica must be discarded. */
  readonly forked: readonly string[];
  /** The log's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** Why the log accepts nothing at the moment, while it is read. */
  readonly unsafe?: Error;
}

/** Properties of a log that its callers and its tests depend on. */
export interface LogTraits {
  /** Other nodes append, too: reads catch up first, and a conflict is nothing unusual. */
  readonly shared: boolean;
  /** The failures that it survives: the loss of the process and of power, or also the loss of a disk. */
  readonly durability: 'disk' | 'replicated';
  readonly entryBytesMax: number;
}

/**
 * The interface between a store and its log: the embedded journal, or a database that several nodes share. Entries hold
 * results, never commands.
 */
export interface Log<B = unknown> {
  readonly traits: LogTraits;
  /**
   * Resolves once the entry is durable, or certainly not appended. The call takes its place in the log before it
   * returns, so further entries may be appended after it. Appends of one turn of the event loop, and appends that
   * arrive while a write is in progress, share the next write, whatever their projects are.
   */
  append(append: Append<B>): Promise<Appended>;
  /** Appends all entries, or nothing, even if the process or the machine fails in between. One entry per project. */
  appendTogether(appends: readonly Append<B>[]): Promise<Appended>;
  /**
   * The entries after each known head, at least the ones acknowledged before the call: asking whether a replica is
   * current and updating it are one request. A project without an entry in the answer is current.
   */
  catchUp(known: ReadonlyMap<string, Head>): Promise<CaughtUp<B>>;
  /**
   * How often a lost connection left unknown whether an entry was appended, and how often it had been. Absent if that
   * cannot happen.
   */
  readonly unknown?: { readonly won: number; readonly lost: number };
  /** Resolves when appends in progress are decided; later ones are refused. */
  close(): Promise<void>;
}
