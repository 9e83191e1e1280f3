import type { DerivedIndex, ReadTransaction } from './read-transaction.ts';

/** Notes that an event of this type happened to a record by the present change set, or that it did not after all. */
export type NoteTransition = (
  type: string,
  record: { readonly id: string; readonly label: string },
  isSo: boolean,
) => void;

/**
 * Builds a project's derived index. The index calls `touch` when the shown form of a record changed although its own
 * fields did not.
 */
export type DeriveIndex = (
  view: ReadTransaction,
  touch: (collection: string, id: string) => void,
  transition: NoteTransition,
) => DerivedIndex;
