import { fileFields, pathFields, sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import { equal } from '../../record/plain.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import type { FileState, PossibleValues } from '../project/file-table.ts';
import { type Lines, linesOfFields, similarity } from './similarity.ts';

/** The index of the file's value among these values, oldest first; -1 for none. */
export function lastIndexOf(
  collection: Collection,
  { record }: FileState,
  values: readonly (StoredRecord | undefined)[],
): number {
  return values.findLastIndex(
    (value) => record !== undefined && value !== undefined && sameOnDisk(collection, record, value),
  );
}

/**
 * A file gets its new place before its new content: whether it has the content of one value, and the place of a later one.
 * A restart of the machine may have lost its place alone: then it is that of any value.
 */
function isPlacedByUs(
  collection: Collection,
  record: StoredRecord,
  values: readonly (StoredRecord | undefined)[],
  rebooted: boolean,
): boolean {
  const place = Object.fromEntries(pathFields(collection).map((name) => [name, membersOf(record)[name]]));
  const isPlace = (value: StoredRecord | undefined): boolean =>
    value !== undefined && Object.keys(place).every((name) => equal(membersOf(value)[name], place[name]));
  return values.some(
    (value, i) =>
      value !== undefined &&
      sameOnDisk(collection, { ...value, ...place }, record) &&
      values.slice(rebooted ? 0 : i).some(isPlace),
  );
}

/**
 * The last common value of file and changes. A checkpoint may have written any value but the last, and the crash may
 * have lost its mark; if a person edited what it wrote, the base is the value with the most lines of the file. Of several
 * it is the oldest, so that no acknowledged change is mistaken for one that the person reverted. The number of conflicts is
 * no measure: the later the value, the fewer it has. Of a file that is still unread no edit is known.
 */
export function baseOf(
  collection: Collection,
  { base, values, rebooted }: PossibleValues,
  file: FileState | undefined,
): StoredRecord | undefined {
  // A record that was deleted and restored: the checkpoint may have removed its file, and the crash lost the mark. After
  // a restart of the machine the file may have been lost, or be torn under the name that a person gave it.
  if (file === undefined && (rebooted || values.includes(undefined))) return undefined;
  if (file?.record === undefined) return base;
  if (file.unread !== undefined) return file.record;
  if (lastIndexOf(collection, file, values) >= 0 || isPlacedByUs(collection, file.record, [base, ...values], rebooted))
    return file.record;
  const written = [base, ...values.slice(0, -1)].filter((value) => value !== undefined);
  if (values.at(-1) === undefined || written.length < 2) return written[0];
  const linesOf = (record: StoredRecord): Lines => linesOfFields(collection, fileFields(collection, record));
  const theirs = linesOf(file.record);
  const shares = written.map((value) => similarity(linesOf(value), theirs));
  return written[shares.indexOf(Math.max(...shares))];
}
