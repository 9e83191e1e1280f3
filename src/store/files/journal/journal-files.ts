import type { Head } from '../../record/log.ts';
import type { Journal } from './journal.ts';

/**
 * The journal as a set of files, which only the store over files knows: positions, segments that are removed once their
 * changes are in record files, the marks of written files, and the entries that are carried forward.
 */
export type JournalFiles = Pick<
  Journal,
  | 'abort'
  | 'appended'
  | 'appendMarks'
  | 'bytes'
  | 'carry'
  | 'failed'
  | 'flush'
  | 'position'
  | 'read'
  | 'rotate'
  | 'segments'
  | 'truncateBefore'
> & {
  /** A project's last entry, including appends in progress: where its log continues after the opening. */
  headOf(project: string): Head;
};
