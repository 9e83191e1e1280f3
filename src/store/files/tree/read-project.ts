import { idPattern } from '../../../base/ids.ts';
import { decode } from '../codec/codec.ts';
import type { Decoded, Note } from '../codec/codec.ts';
import { claimOf, validRecord } from '../edits/read-state.ts';
import type { Collection } from '../../record/collection.ts';
import type { Placement } from '../../record/assemble.ts';
import { noRows, readRows, rowsFile } from '../../record/folder-rows.ts';
import type { FolderRows } from '../../record/folder-rows.ts';
import {
  LocationMap,
  directoryOf,
  folderFile,
  idByPath,
  isServiceName,
  nameOf,
  rowKey,
  serviceName,
} from '../../record/locations.ts';
import { codeOf } from '../../record/project-name.ts';
import { shapeAt } from '../../record/shapes.ts';
import { ProjectIndex } from '../../replica/project-index.ts';
import type { TreeFile } from './plan-tree.ts';

/** The file of a record. Paths are relative to the project's directory. */
export interface RecordFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** False if the path identifies the record. */
  readonly hasExplicitId: boolean;
  /** The fields whose value in the file is ignored. */
  readonly ignored: ReadonlySet<string>;
  /** The front matter is read as text: the file of a record that is known was damaged. */
  readonly damage?: Note;
}

/** A file without a record, or a value of a record that is ignored. */
export interface TreeProblem {
  readonly path: string;
  readonly line?: number;
  readonly reason: string;
  /** The id of the record that the file seems to have. */
  readonly id?: string;
}

/** The records of one project, as its files at one moment have them. */
export interface TreeProject {
  readonly id: string;
  readonly directory: string;
  readonly index: ProjectIndex;
  readonly files: ReadonlyMap<string, RecordFile>;
  readonly unreadable: readonly TreeProblem[];
  /** Values that are ignored. */
  readonly notes: readonly TreeProblem[];
}

/** The time of records whose files have none: it is never shown. */
const noTime = '1970-01-01T00:00:00.000Z';

/**
 * Reads the records of a project from its files alone, without a journal, a history or former states. The service serves the last good
 * version of an unreadable file; here such a file is a problem and no record.
 */
export function readProject(
  collections: readonly Collection[],
  directory: string,
  files: readonly TreeFile[],
): TreeProject {
  return new ProjectReader(collections, directory, files).read();
}

type Readable = Extract<Decoded, { readonly ok: true }>;

class ProjectReader {
  readonly #collections: readonly Collection[];
  readonly #locations: LocationMap;
  readonly #directory: string;
  readonly #sources: readonly TreeFile[];
  readonly #id: string;
  readonly #code: string;
  readonly #rows: FolderRows;
  readonly #index: ProjectIndex;
  readonly #files = new Map<string, RecordFile>();
  readonly #unreadable: TreeProblem[] = [];
  readonly #notes: TreeProblem[] = [];

  constructor(collections: readonly Collection[], directory: string, files: readonly TreeFile[]) {
    this.#collections = collections;
    this.#locations = new LocationMap(collections);
    this.#directory = directory;
    this.#sources = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    this.#index = new ProjectIndex(collections);
    this.#index.names.files = { nameOf: (id) => this.#nameOf(id), nameByPerson: (id) => this.#nameByPerson(id) };
    this.#id = this.#idOfProject();
    this.#code = codeOf(this.#id, directory);
    this.#rows = this.#readRows();
  }

  read(): TreeProject {
    this.#addFolders();
    for (const source of this.#sources) {
      const collection = this.#locations.at(source.path);
      if (collection !== undefined) this.#add(collection, source);
    }
    // From now on names in links mean records.
    this.#index.derive('names', { fields: {}, changed: () => undefined });
    return {
      id: this.#id,
      directory: this.#directory,
      index: this.#index,
      files: this.#files,
      unreadable: this.#unreadable,
      notes: this.#notes,
    };
  }

  #bytesAt(path: string): Uint8Array | undefined {
    return this.#sources.find((source) => source.path === path)?.bytes;
  }

  /** The id in project.json; without a readable one the directory's name, which the other side of a comparison has, too. */
  #idOfProject(): string {
    const shape = this.#collections.find(({ id }) => id === 'project')!.shape;
    const bytes = this.#bytesAt('project.json');
    const decoded = bytes && decode(shape, bytes);
    const id = decoded?.ok === true ? decoded.fields['id'] : decoded?.id;
    return typeof id === 'string' && idPattern.test(id) ? id : this.#directory;
  }

  #readRows(): FolderRows {
    const [[tree = ''] = []] = [...this.#locations.trees];
    const bytes = this.#bytesAt(`${tree}/${rowsFile}`);
    if (bytes === undefined) return noRows;
    const { rows, isWhole } = readRows(Buffer.from(bytes).toString());
    if (!isWhole) this.#unreadable.push({ path: `${tree}/${rowsFile}`, reason: 'The rows of folders are no JSON.' });
    return rows;
  }

  /** A folder is a directory with a document in it, or below it: git has no other. */
  #addFolders(): void {
    for (const [tree, collection] of this.#locations.trees) {
      const directories = new Set<string>();
      for (const { path } of this.#sources) {
        if (!path.startsWith(`${tree}/`) || this.#locations.at(path) === undefined) continue;
        for (let at = directoryOf(path); at.includes('/'); at = directoryOf(at)) directories.add(at);
      }
      for (const directory of [...directories].sort()) this.#addFolder(collection, directory);
    }
  }

  #addFolder(collection: Collection, directory: string): void {
    const path = `${directory}/${folderFile}`;
    const row = this.#rows.get(rowKey(directory));
    const id = this.#idOfFolder(collection, directory)!;
    this.#put(collection, { path, bytes: new Uint8Array() }, id, row !== undefined, {
      ok: true,
      fields: row?.name === undefined ? {} : { name: row.name },
      ...{ unknown: [], notes: [], hints: [], named: {}, lineOf: () => undefined },
    });
  }

  #idOfFolder(folders: Collection, directory: string): string | null {
    if (!directory.includes('/')) return null;
    const row = this.#rows.get(rowKey(directory));
    return row?.id ?? idByPath(folders, this.#code, this.#id, `${directory}/${folderFile}`);
  }

  #add(collection: Collection, { path, bytes, refused }: TreeFile): void {
    if (bytes === undefined) {
      const id = idByPath(collection, this.#code, this.#id, path);
      this.#unreadable.push({ path, reason: refused ?? 'It was not read.', id });
      return;
    }
    const decoded = decode(shapeAt(collection.shape, path), bytes);
    const byPath = idByPath(collection, this.#code, this.#id, path);
    if (!decoded.ok) {
      const { line, reason, id = byPath } = decoded;
      this.#unreadable.push({ path, line, reason, id });
      return;
    }
    const claim = claimOf(collection, decoded);
    if (claim.violation !== undefined) {
      this.#unreadable.push({ path, reason: claim.violation, id: byPath });
      return;
    }
    const notes = claim.note === undefined ? decoded.notes : [...decoded.notes, claim.note];
    this.#put(collection, { path, bytes }, claim.id ?? byPath, claim.id !== undefined, { ...decoded, notes });
  }

  #put(
    collection: Collection,
    { path, bytes }: Required<Pick<TreeFile, 'path' | 'bytes'>>,
    id: string,
    hasExplicitId: boolean,
    decoded: Readable,
  ): void {
    const [fields, notes] = [{ ...decoded.fields }, [...decoded.notes]];
    const candidate = { id, former: undefined, fields, notes, lineOf: decoded.lineOf, isIdIgnored: false };
    const result = validRecord({ collection, path }, candidate, () => this.#placementOf(collection, path, id, fields));
    if ('reason' in result) {
      const { reason, line } = result;
      this.#unreadable.push({ path, reason, id, ...(line !== undefined && { line }) });
      return;
    }
    const other = this.#files.get(id);
    if (other !== undefined) {
      this.#unreadable.push({ path, reason: `It has the id ${id} of ${other.path}.` });
      return;
    }
    const damage = notes.find(({ key }) => key === undefined);
    const ignored = new Set(notes.flatMap(({ key }) => (key === undefined ? [] : [key])));
    for (const { line, reason, isTerm } of notes) if (isTerm !== true) this.#notes.push({ path, line, reason, id });
    this.#files.set(id, { path, bytes, hasExplicitId, ignored, ...(damage && { damage }) });
    this.#index.apply({ collection: collection.name, id, to: result.record });
  }

  #placementOf(collection: Collection, path: string, id: string, fields: Readonly<Record<string, unknown>>): Placement {
    return {
      ...{ id, code: this.#code, createdAt: noTime, revisedAt: undefined },
      pathFields: this.#pathFields(collection, path, fields),
    };
  }

  #pathFields(
    collection: Collection,
    path: string,
    fields: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    const { location } = collection;
    const directory = directoryOf(path);
    if (location.kind === 'tree') {
      const folders = this.#locations.foldersOf(location.directory);
      return { [location.folder]: folders === undefined ? null : this.#idOfFolder(folders, directory) };
    }
    if (location.kind !== 'folder') return {};
    const above = this.#idOfFolder(collection, directoryOf(directory));
    return { name: fields['name'] ?? nameOf(directory), [location.parent]: above };
  }

  #nameOf(id: string): string | undefined {
    const file = this.#files.get(id);
    return file && nameOf(file.path);
  }

  #nameByPerson(id: string): string | undefined {
    const [name, found] = [this.#nameOf(id), this.#index.find(id)];
    const collection = this.#collections.find((one) => one.name === found?.collection);
    if (name === undefined || found === undefined || collection === undefined) return undefined;
    return isServiceName(name, serviceName(collection, found.record)) ? undefined : name;
  }
}
