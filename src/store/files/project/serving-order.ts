import { idPrefixes } from '../../../base/ids.ts';
import { directoryOf, folderFile, nameOf } from '../../record/locations.ts';
import type { StoredRecord } from '../../record/record.ts';

/** A file that contains the id of a record; others may contain it, too. */
export interface Claimant {
  readonly path: string;
  readonly collection: string;
  readonly record: StoredRecord | undefined;
}

/** The name that the service gives the file of a record. */
export type ServiceNameOf = (collection: string, record: StoredRecord) => string | undefined;

export interface OrderDeps {
  readonly id: string;
  /** The paths of files that were copies before. */
  readonly copies: ReadonlySet<string>;
  readonly serviceNameOf: ServiceNameOf;
}

/**
 * The files that contain an id, the one that serves it first. Readable ones come before unreadable ones, and those that
 * were no copies before known copies. Files of the kind that the id's prefix names come before others, so that a copy in
 * another directory does not change the record's kind. Then a file with the name that the service gives it, one with the
 * id in its name, and the one whose name is the beginning of the others': tools that make copies append to the name.
 * Else the paths decide.
 */
export function inOrder<T extends Claimant>(files: readonly T[], deps: OrderDeps): readonly T[] {
  const ranks = new Map(files.map((file) => [file, rank(file, deps)]));
  const lowest = Math.min(...ranks.values());
  const beginning = commonBeginning(files.filter((file) => ranks.get(file) === lowest));
  const place = (file: T): number =>
    ranks.get(file)! - (ranks.get(file) === lowest && stem(file) === beginning ? 1 : 0);
  return [...files].sort((a, b) => place(a) - place(b) || comparePaths(a, b));
}

/** Returns whether a file's name begins with that of another one, as the names of its copies do. */
export function isNamedAfter(file: Pick<Claimant, 'path'>, other: Pick<Claimant, 'path'>): boolean {
  return stem(file) !== stem(other) && stem(file).startsWith(stem(other));
}

/** Even numbers: a name that is the beginning of the others' counts less than all that is in here. */
function rank({ path, collection, record }: Claimant, { id, copies, serviceNameOf }: OrderDeps): number {
  const isNamed = record !== undefined && serviceNameOf(collection, record) === nameOf(path);
  const byName = isNamed ? 0 : hasIdInName({ path }, id) ? 1 : 2;
  const [unread, copy, foreign] = [record === undefined, copies.has(path), !isOfKind(collection, id)];
  return 2 * (byName + (foreign ? 3 : 0) + (copy ? 6 : 0) + (unread ? 12 : 0));
}

/** The name with which the names of all these files begin; undefined if it is that of none of them. */
function commonBeginning(files: readonly Claimant[]): string | undefined {
  const stems = files.map(stem);
  const shortest = stems.reduce((a, b) => (b.length < a.length ? b : a), stems[0] ?? '');
  return stems.every((one) => one.startsWith(shortest)) ? shortest : undefined;
}

/** The name without its ending; a folder's is that of its directory. */
function stem({ path }: Pick<Claimant, 'path'>): string {
  const name = nameOf(path);
  return name === folderFile ? nameOf(directoryOf(path)) : name.slice(0, name.lastIndexOf('.'));
}

/** Name by name, so that what is in a directory comes before what is in its copy. */
function comparePaths(a: Claimant, b: Claimant): number {
  const [left, right] = [a, b].map(({ path }) => path.split('/')) as [string[], string[]];
  const at = left.findIndex((name, i) => name !== right[i]);
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
}

/** Returns whether a file's name contains an id, as the names do that the service gives. */
export function hasIdInName({ path }: Pick<Claimant, 'path'>, id: string): boolean {
  const name = nameOf(path);
  return name.includes(`.${id}.`) || name.startsWith(`${id}.`) || name.includes(`.${id.slice(-4)}.`);
}

/** A custom id does not name a kind. */
function isOfKind(collection: string, id: string): boolean {
  const prefix = id.slice(0, id.indexOf('_'));
  const [kind] = Object.entries(idPrefixes).find(([, one]) => one === prefix) ?? [collection];
  return kind === collection;
}
