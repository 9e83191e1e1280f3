import { conflictReason } from './conflict-reason.ts';
import { decode } from '../codec/codec.ts';
import type { Collection } from '../../record/collection.ts';
import { mergeScalar } from './merge-files.ts';
import { mergeRows } from './merge-rows.ts';
import { isRowsPath } from '../../record/folder-rows.ts';
import { LocationMap, directoryOf, nameOf } from '../../record/locations.ts';
import { shapeAt } from '../../record/shapes.ts';

/** A version of a file that git could not merge, from git's index: 1 is the base, 2 ours, 3 theirs. */
export interface UnmergedFile {
  /** Path inside its project. */
  readonly path: string;
  readonly stage: 1 | 2 | 3;
  readonly bytes: Uint8Array;
}

/** The merged location of the unmerged files of one record. */
export type MergedLocation = {
  /** Every path of the record in git's index. */
  readonly paths: readonly string[];
} & (
  | {
      readonly id: string;
      /** The merged path. */
      readonly path: string;
      /** The version with git's merged content. */
      readonly content: UnmergedFile;
      /** True if it has conflict markers. */
      readonly isDisputed: boolean;
      /** True if the content is none of git's versions. */
      readonly isNew?: true;
      readonly reason?: undefined;
    }
  /** A person has to decide, for this reason. */
  | { readonly reason: string; readonly path?: undefined }
);

/** A version with its record's id: one side's rename and the other side's move are changes of one record. */
interface Version extends UnmergedFile {
  readonly id: string | undefined;
  readonly isReadable: boolean;
}

/**
 * Merges the locations of records whose files git left unmerged because of their paths alone: one side renamed a file
 * and the other moved it, or it was moved into a folder that the other side renamed. Directory and name merge
 * separately, like fields. The rows of folders merge as a set.
 */
export function mergeLocations(collections: readonly Collection[], files: readonly UnmergedFile[]): MergedLocation[] {
  const locations = new LocationMap(collections);
  const [rows, others] = [true, false].map((isRows) => files.filter(({ path }) => isRowsPath(path) === isRows));
  const versions = others!.map((file) => read(locations.at(file.path), file));
  // A file without an id is identified by its path.
  const groups = Map.groupBy(versions, ({ id, path }) => id ?? path);
  return [...(rows!.length > 0 ? [mergedRows(rows!)] : []), ...Array.from(groups.values(), mergeGroup)];
}

function mergedRows(versions: readonly UnmergedFile[]): MergedLocation {
  const [base, ours, theirs] = [1, 2, 3].map((stage) => versions.find((version) => version.stage === stage)?.bytes);
  const [{ path }] = versions as [UnmergedFile];
  const content = { path, stage: 2, bytes: mergeRows({ base, ours, theirs }) } as const;
  return { id: 'folders', paths: [path], path, content, isDisputed: false, isNew: true };
}

function read(collection: Collection | undefined, file: UnmergedFile): Version {
  if (collection === undefined) return { ...file, id: undefined, isReadable: false };
  const decoded = decode(shapeAt(collection.shape, file.path), Buffer.from(file.bytes));
  const id = decoded.ok ? decoded.fields['id'] : decoded.id;
  return { ...file, id: typeof id === 'string' ? id : undefined, isReadable: decoded.ok };
}

function mergeGroup(group: readonly Version[]): MergedLocation {
  const paths = [...new Set(group.map(({ path }) => path))];
  const [base, ours, theirs] = [1, 2, 3].map((number) => group.filter(({ stage }) => stage === number));
  if ([base, ours, theirs].some((side) => side!.length > 1))
    return { paths, reason: 'the record is at several paths on one side: keep one of them' };
  const [from, mine, other] = [base![0], ours![0], theirs![0]];
  const content = mine ?? other;
  if (content === undefined) return { paths, reason: 'both sides deleted or replaced it: git rm it' };
  if (mine === undefined || other === undefined) {
    return from === undefined ? placed(content, content.path, paths) : { paths, reason: deletedReason };
  }
  if (mine.path === other.path) return { paths, reason: conflictReason };
  if (from === undefined) return { paths, reason: 'both sides added it: keep one of them' };
  if (Buffer.compare(mine.bytes, other.bytes) !== 0)
    return { paths, reason: 'git did not merge the contents: merge them into one of the files' };
  return placed(content, mergeFilePath(from.path, mine.path, other.path), paths);
}

const deletedReason = 'one side changed it and the other deleted it: git add it, or git rm it';

function placed(content: Version, path: string, paths: readonly string[]): MergedLocation {
  if (content.id === undefined) return { paths, reason: 'it contains no id: move it to its place' };
  return { paths, id: content.id, path, content, isDisputed: !content.isReadable };
}

/**
 * A file's name follows its title, and titles merge inside the file: here either name is valid, and either directory if
 * both sides moved it or renamed its folder; it is the same one in either order of merging.
 */
function mergeFilePath(base: string, ours: string, theirs: string): string {
  const directories = [base, ours, theirs].map(directoryOf) as [string, string, string];
  const name = mergeScalar(nameOf(base), nameOf(ours), nameOf(theirs));
  return `${mergePath(...directories) ?? mergeScalar(...directories)}/${name}`;
}

/** The path that one side changed, or both changed alike; merged part by part from the end if the sides differ. */
function mergePath(base: string, ours: string, theirs: string): string | undefined {
  const whole = mergeOne(base, ours, theirs);
  if (whole !== undefined) return whole;
  const paths = [base, ours, theirs];
  if (paths.some((path) => !path.includes('/'))) return undefined;
  const [name, above] = [nameOf, directoryOf].map((part) => paths.map(part) as [string, string, string]);
  const [mergedName, mergedAbove] = [mergeOne(...name!), mergePath(...above!)];
  return mergedName === undefined || mergedAbove === undefined ? undefined : `${mergedAbove}/${mergedName}`;
}

function mergeOne(base: string, ours: string, theirs: string): string | undefined {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : undefined;
}
