import { fileFields, pathFields, sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import { equal } from '../../record/plain.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import { type FileState, type PossibleValues, valuesIn } from '../project/file-table.ts';

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
  // One without its front matter was read with the fields of this value.
  if (file?.record === undefined || file.hasLostId === true) return base;
  if (valuesIn(file) !== undefined) return file.record;
  if (lastIndexOf(collection, file, values) >= 0 || isPlacedByUs(collection, file.record, [base, ...values], rebooted))
    return file.record;
  const written = [base, ...values.slice(0, -1)].filter((value) => value !== undefined);
  if (values.at(-1) === undefined || written.length < 2) return written[0];
  const theirs = linesOf(collection, file.record);
  const shares = written.map((value) => commonShare(linesOf(collection, value), theirs));
  return written[shares.indexOf(Math.max(...shares))];
}

/** Fields that identify a record or date it: they say nothing of the version of its content. */
const identifying = new Set(['id', 'created_at', 'updated_at']);

/** The lines of a record's texts, and one for each other value that is no default. */
function linesOf(collection: Collection, record: StoredRecord): readonly string[] {
  const { shape } = collection;
  const fields = fileFields(collection, record);
  const text = shape.body === undefined ? undefined : fields[shape.body];
  const others = shape.fields.filter(
    ({ name, absent }) =>
      name !== shape.body && !identifying.has(name) && fields[name] !== undefined && !equal(fields[name], absent),
  );
  const values = others.map(({ name }) => `${name}: ${JSON.stringify(fields[name])}`);
  return [...(typeof text === 'string' ? text.split('\n') : []), ...values];
}

/** The share of common lines by their length, from 0 to 1, of the longer of both. */
function commonShare(a: readonly string[], b: readonly string[]): number {
  const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);
  const left = Map.groupBy(b, (line) => line);
  const common = a.filter((line) => left.get(line)?.pop() !== undefined);
  return lengthOf(common) / Math.max(lengthOf(a), lengthOf(b), 1);
}
