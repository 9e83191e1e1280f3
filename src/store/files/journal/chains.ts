import { type EntryBody, type EntryChange, fromEntryChange } from '../../record/entry.ts';
import type { KeptEntry, Mark } from './journal.ts';
import { equal } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';

/**
 * The changes of one record in the journal's tail: its values from the one before the first change that its file may
 * lack to the last.
 */
export interface Chain {
  readonly collection: string;
  readonly id: string;
  /** The value in the file before the first of the changes. */
  base: StoredRecord | undefined;
  /** The value after each change, in order, and the values of edits between them. The file may have any of them. */
  readonly values: (StoredRecord | undefined)[];
  readonly position: number;
  /** Seq of the last change. */
  seq: number;
  /** True if the machine was restarted since the last change: a file that was not synced may be lost. */
  rebooted: boolean;
}

/** A record whose last change has a mark, with the hash from that mark. */
export interface MarkedChain extends Chain {
  readonly sha256: string | null;
}

/** A record whose last change was an external edit: the value that its file had then. */
export type Edited = Pick<Chain, 'collection' | 'id'> & { readonly value: StoredRecord | undefined };

/** The changes that are not in their files according to marks and external edits, and the last values of the others. */
export interface Chains {
  readonly pending: readonly Chain[];
  readonly marked: readonly MarkedChain[];
  readonly edited: readonly Edited[];
}

export const noChains: Chains = { pending: [], marked: [], edited: [] };

/** The value that a file is known to have had last. */
export interface LastValue {
  readonly collection: string;
  readonly record: StoredRecord;
}

/** The last values of files, by the ids of their records. */
export function lastValues({ pending, marked, edited }: Chains): ReadonlyMap<string, LastValue> {
  const values = new Map<string, LastValue>();
  const add = ({ id, collection }: Pick<Chain, 'id' | 'collection'>, record: StoredRecord | undefined): void =>
    void (record && values.set(id, { collection, record }));
  for (const one of edited) add(one, one.value);
  for (const chain of marked) add(chain, chain.values.at(-1));
  for (const chain of pending) add(chain, chain.base);
  return values;
}

/** The records that are there after the changes and edits. */
export function presentIds({ pending, marked, edited }: Chains): ReadonlySet<string> {
  const changed = [...pending, ...marked].filter(({ values }) => values.at(-1) !== undefined);
  return new Set([...changed, ...edited.filter(({ value }) => value !== undefined)].map(({ id }) => id));
}

/** The records whose files were removed for them since: a file at such a path now is another. */
export function removedByUs({ marked }: Chains): ReadonlySet<string> {
  // After a restart of the machine a removed file may be back.
  return new Set(marked.filter(({ sha256, rebooted }) => sha256 === null && !rebooted).map(({ id }) => id));
}

export function chains(entries: readonly KeptEntry<EntryBody>[], marks: readonly Mark[]): Chains {
  const written = new Map<string, Mark>();
  const marked = new Map<string, MarkedChain>();
  const edited = new Map<string, Edited>();
  for (const mark of marks) if (mark.seq >= (written.get(mark.path)?.seq ?? 0)) written.set(mark.path, mark);
  const found = new Map<string, Chain>();
  for (const { seq, position, body, rebooted, carried } of entries) {
    // An external edit is in its file, unless the machine was restarted before the editor, or the store, synced it. Of
    // those only the ones are carried that have to be written again.
    const isInFile = body.source === 'disk' && !rebooted && carried !== true;
    for (const [entryChange, isOffline] of changesOf(body)) {
      const { collection, id, from, to } = fromEntryChange(entryChange);
      const { file } = entryChange;
      const mark = written.get(id);
      const isWritten = mark !== undefined && seq <= mark.seq;
      if (isWritten)
        marked.set(id, {
          ...{ collection, id, base: undefined, values: [to] },
          ...{ position, seq, rebooted, sha256: mark.sha256 },
        });
      else marked.delete(id);
      const before = found.get(id);
      if (isInFile && file === undefined && !(isOffline && before !== undefined))
        edited.set(id, { collection, id, value: to });
      else edited.delete(id);
      const step = { collection, id, from, to, file, position, seq, rebooted, isInFile, isOffline };
      const chain = isWritten ? undefined : chainAfter(before, step);
      if (chain === undefined) found.delete(id);
      else found.set(id, chain);
    }
  }
  return { pending: [...found.values()], marked: [...marked.values()], edited: [...edited.values()] };
}

interface ChainStep {
  readonly collection: string;
  readonly id: string;
  readonly from: StoredRecord | undefined;
  readonly to: StoredRecord | undefined;
  /** null: there is no file; undefined: it has the value `to`. */
  readonly file: StoredRecord | null | undefined;
  readonly position: number;
  readonly seq: number;
  readonly rebooted: boolean;
  readonly isInFile: boolean;
  readonly isOffline: boolean;
}

/** The chain of a record after a change without a mark; undefined if the file has the value. */
function chainAfter(chain: Chain | undefined, step: ChainStep): Chain | undefined {
  const { collection, id, from, to, file, position, seq, rebooted, isInFile, isOffline } = step;
  if (isInFile && !isOffline)
    return file === undefined
      ? undefined
      : { collection, id, base: file ?? undefined, values: [to], position, seq, rebooted };
  if (chain === undefined)
    return isInFile ? undefined : { collection, id, base: from, values: valuesOf(file, to), position, seq, rebooted };
  // The file had this value if an opening found an edit of it, which is not in the journal.
  if (!equal(from, chain.values.at(-1))) chain.values.push(from);
  // The decision of an opening on an edit stays, even if the marks of that time are lost.
  chain.values.push(...valuesOf(file, to));
  chain.seq = seq;
  chain.rebooted = rebooted;
  return chain;
}

/** The values that a file may have after a change, including the file's former value for a merged edit. */
function valuesOf(file: ChainStep['file'], to: StoredRecord | undefined): (StoredRecord | undefined)[] {
  return file === undefined ? [to] : [file ?? undefined, to];
}

/** The changes of an entry, and whether they are edits that an opening found. */
export function* changesOf({ changes, offline = [] }: EntryBody): Iterable<readonly [EntryChange, boolean]> {
  for (const change of changes) yield [change, false];
  for (const change of offline) yield [change, true];
}
