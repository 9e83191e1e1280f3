import { hash } from 'node:crypto';
import { derivedId, idInName, type IdKind, projectCodeOf } from '../../base/ids.ts';
import type { Collection, CollectionLocation } from './collection.ts';
import { type DirectoryDepths, mayHoldRecords } from './directory-depths.ts';
import type { FolderRow } from './folder-rows.ts';
import { foldName, idInFileName, slugOf, titleName } from './file-name.ts';
import { membersOf, type StoredRecord } from './record.ts';
import { endsLike, fileEndings, shapeAt, shapeOf } from './shapes.ts';

/** Segments of history are in a directory per month below it. */
const historyDirectory = 'history';

/** The name of a folder in its path, which is that of its directory with a slash: `documents/Guides/`. */
export const folderFile = '';

/**
 * Maps a path inside a project's directory to its collection, if any. Names beginning with a dot belong to no
 * collection.
 */
export class LocationMap {
  readonly #singles = new Map<string, Collection>();
  readonly #byDirectory = new Map<string, Collection>();
  readonly #folders = new Map<string, Collection>();
  readonly depths: DirectoryDepths;

  constructor(collections: Iterable<Collection>) {
    for (const collection of collections) {
      const { location } = collection;
      if (location.kind === 'single') this.#singles.set(location.file, collection);
      else if (location.kind === 'folder') this.#folders.set(location.directory, collection);
      else this.#byDirectory.set(location.directory, collection);
    }
    const depths = new Map([...this.#folders.keys()].map((directory) => [directory, Infinity]));
    for (const [directory, { location }] of this.#byDirectory)
      depths.set(directory, location.kind === 'tree' ? Infinity : location.kind === 'grouped' ? 2 : 1);
    this.depths = depths.set(historyDirectory, 2);
  }

  /** The collection whose records are the directories below this top directory. */
  foldersOf(directory: string): Collection | undefined {
    return this.#folders.get(directory);
  }

  /** The directories of trees, with the collections of their folders. */
  get trees(): ReadonlyMap<string, Collection> {
    return this.#folders;
  }

  /** Returns whether a directory inside a project's directory is a folder of a tree. */
  isFolder(directory: string): boolean {
    const parts = directory.split('/');
    return parts.length > 1 && this.#folders.has(parts[0]!) && !parts.some((part) => part.startsWith('.'));
  }

  /**
   * Returns whether a directory inside a project's directory, or a directory in it, may contain record files or
   * history.
   */
  mayHold(directory: string): boolean {
    return mayHoldRecords(this.depths, directory);
  }

  at(path: string): Collection | undefined {
    const parts = path.split('/');
    const name = parts.at(-1) ?? '';
    const [top = ''] = parts;
    if (parts.length === 1) return this.#singles.get(path);
    if (parts.slice(0, -1).some((part) => part.startsWith('.'))) return undefined;
    if (name === folderFile) return parts.length > 2 ? this.#folders.get(top) : undefined;
    const collection = this.#byDirectory.get(top);
    if (collection === undefined || name.startsWith('.') || !endsLike(collection.shape, name)) return undefined;
    const depth = parts.length - 1;
    if (collection.location.kind === 'tree') return collection;
    return depth === (collection.location.kind === 'grouped' ? 2 : 1) ? collection : undefined;
  }
}

export function directoryOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end === -1 ? '' : path.slice(0, end);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The id of a record whose file contains no id: equal on every clone. */
export function idByPath(collection: Collection, code: string, projectId: string, path: string): string {
  const { location } = collection;
  if (location.kind === 'single') return collection.id === 'project' ? projectId : collection.name;
  if (location.kind === 'key') return derivedId(collection.id, code, keyOfFile(path));
  const named = idInFileName(nameOf(path));
  if (named !== undefined && location.kind !== 'tree' && location.kind !== 'title') return named;
  return derivedId(collection.id, code, location.kind === 'folder' ? directoryOf(path) : path.normalize('NFC'));
}

/**
 * Returns whether a record without an id in its file keeps its identity if the file gets this path: not if the path
 * itself identifies the record, as the key of a tag and an id in a name do.
 */
export function keepsIdOnRename({ location }: Collection, path: string): boolean {
  if (location.kind === 'tree' || location.kind === 'title') return true;
  return location.kind === 'slug' && idInFileName(nameOf(path)) === undefined;
}

/** Whether the service writes a record's id into its file: not that of a tag, which its key derives, nor a folder's. */
export function containsId({ location: { kind } }: Collection): boolean {
  return kind !== 'single' && kind !== 'key' && kind !== 'folder';
}

/** Another id derived from a path, for `attempt` 2 and more: the derived one belongs to a file that was renamed. */
export function nextIdByPath(collection: Collection, code: string, path: string, attempt: number): string {
  return derivedId(collection.id, code, path.normalize('NFC'), String(attempt));
}

/** The folded key that names a `key` record's file: `tags/api.json` is `api`. */
export function keyOfFile(path: string): string {
  return nameOf(path).replace(/\.json$/, '');
}

/**
 * The folded key as a file name that is valid on every system: the key itself if it is valid, else made valid and
 * followed by a few characters of its hash, so that `a/b` and `a-b` stay two.
 */
export function fileKey(name: string): string {
  const folded = foldName(name);
  const safe = titleName(folded);
  return safe === folded ? folded : `${safe}~${hash('sha256', folded, 'hex').slice(0, 6)}`;
}

type KeyPlace = Extract<CollectionLocation, { readonly kind: 'key' }>;

/** The key that the record's id was derived from: its present one, or one from before a rename. */
function keyOfRecord(kind: IdKind, place: KeyPlace, record: StoredRecord): string {
  const members = membersOf(record);
  const former = place.former === undefined ? [] : members[place.former];
  const names = [members[place.key], ...(Array.isArray(former) ? (former as unknown[]) : [])].filter(
    (name) => typeof name === 'string',
  );
  const code = projectCodeOf(record.id) ?? '';
  return fileKey(names.find((name) => idOfKey(kind, code, name) === record.id) ?? names[0] ?? '');
}

/** The id of a record that is identified by a key (a tag by its name): the same on every branch that creates it. */
export function idOfKey(kind: IdKind, code: string, name: string): string {
  return derivedId(kind, code, fileKey(name));
}

/** The file name that the service gives a record; names given by a person are kept. */
export function serviceName(collection: Collection, record: StoredRecord): string {
  const { location, shape } = collection;
  const ending = fileEndings[shapeOf(shape, membersOf(record)).format];
  const field = (name: string): string => {
    const value = membersOf(record)[name];
    return typeof value === 'string' ? value : '';
  };
  switch (location.kind) {
    case 'single':
      return location.file;
    case 'slug': {
      const slug = slugOf(field(location.title ?? ''));
      return slug === '' ? `${idInName(record.id)}${ending}` : `${slug}.${idInName(record.id)}${ending}`;
    }
    case 'title':
    case 'tree':
      return `${titleName(field(location.title))}.${idInName(record.id).slice(-4)}${ending}`;
    case 'key':
      return `${keyOfRecord(collection.id, location, record)}${ending}`;
    case 'grouped':
      return `${record.id}${ending}`;
    case 'folder':
      return folderFile;
  }
}

/** The row of a folder at this path: it contains the name if the directory has another one. */
export function rowOf(folder: StoredRecord, path: string): FolderRow {
  const { id } = folder;
  const name = String(membersOf(folder)['name']);
  return nameOf(directoryOf(path)) === name ? { id } : { id, name };
}

/** The row of a directory that was renamed: the folder's own name stays only if the directory's did. */
export function movedRow(row: FolderRow, from: string, to: string): FolderRow {
  return nameOf(from) === nameOf(to) ? row : { id: row.id };
}

/** The directory of the tree that a path is in. */
export function treeOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

/** The key of a directory's row: its path in the tree, as every file system has it. */
export function rowKey(directory: string): string {
  return directory.slice(directory.indexOf('/') + 1).normalize('NFC');
}

/**
 * The id of a new folder, derived from its path: two branches that create the same folder create the same id. `names`
 * from the top down.
 */
export function idOfFolder(code: string, directory: string, names: readonly string[]): string {
  return derivedId('folder', code, [directory, ...names.map((name) => titleName(name))].join('/'));
}

/** A record file's name without its extension. */
export function stemOf(collection: Collection, name: string): string {
  const { format } = shapeAt(collection.shape, name);
  return name.endsWith(fileEndings[format]) ? name.slice(0, -fileEndings[format].length) : name;
}

/** Returns whether the name was generated from a title, possibly with more of the id. */
export function isServiceName(name: string, made: string | undefined): boolean {
  if (made === undefined) return false;
  const dot = made.lastIndexOf('.');
  return name.startsWith(`${made.slice(0, dot)}.`) && name.endsWith(made.slice(dot));
}

/** The field of a collection's records with their folder's id, or undefined. */
export function folderMember(collection: Collection | undefined): string | undefined {
  const place = collection?.location;
  if (place?.kind === 'tree') return place.folder;
  return place?.kind === 'folder' ? place.parent : undefined;
}
